import { setTimeout as sleep } from 'node:timers/promises'
import Anthropic from '@anthropic-ai/sdk'
import { loadScenario } from '@quarterdeck/simulator'
import { describe, expect, it } from 'vitest'
import { type AssistantMessage, messageEvents } from '../../wire/anthropic/message.ts'
import { createSseFrameParser, encodeSseFrame } from '../../wire/sse-frame.ts'
import { hello, idOf, openGateway, openSimulated, openUpstream } from '../gateway-harness.fixture.ts'
import { createDeltaMerger, createFrameSplitter } from './delta-merger.ts'

const usage = { inputTokens: 11, outputTokens: 22, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }
const message: AssistantMessage = {
  id: 'msg_1',
  model: 'simulator',
  content: [
    { type: 'thinking', thinking: 'first I think about ünïcode 🙂 and then', signature: 'c2ln' },
    { type: 'text', text: 'some words, a 🙂 and\na second line with "quotes"' },
    { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls -la | wc', nested: { list: [1, 2, 3] } } },
    { type: 'text', text: 'and a last word' },
  ],
  stopReason: 'tool_use',
  stopSequence: null,
  usage,
}

/** Everything that a stream may contain: pings between deltas, comments, other line ends, unknown deltas. */
function stream(): string {
  const frames = [...messageEvents(message)].map((event) => encodeSseFrame(event.type, event))
  frames.splice(4, 0, encodeSseFrame('ping', { type: 'ping' }), ': a comment\n\n')
  frames.splice(9, 0, frame({ index: 0, delta: { type: 'citations_delta', citation: { a: 1 } } }))
  frames.splice(11, 0, frame({ index: 1, delta: { type: 'text_delta', text: 'x', more: true } }))
  frames.splice(13, 0, frame({ index: 1, delta: { type: 'text_delta', text: 'crlf' } }).replaceAll('\n', '\r\n'))
  // No provider interleaves blocks today, so only this test would notice a merger that mixes them up.
  const woven = [2, 3, 3, 2].map((index) => frame({ index, delta: { type: 'text_delta', text: `of ${index} ` } }))
  frames.splice(20, 0, ...woven, frame({ index: 2, delta: { type: 'thinking_delta', thinking: 'hm' } }))
  return frames.join('')
}
const frame = (data: object) => encodeSseFrame('content_block_delta', { type: 'content_block_delta', ...data })

/** Small and repeatable: the seed of a failing case is in its name. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function cut(bytes: Buffer, random: () => number): Buffer[] {
  const most = 1 + Math.floor(random() * 200)
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + Math.floor(random() * most)
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

/** The content of a stream, with adjacent text of a block joined. */
function meaning(bytes: Buffer | string): string[] {
  const texts: { key: string; text: string }[] = []
  for (const { event, data } of createSseFrameParser().push(bytes)) {
    const { index, delta } = event === 'content_block_delta' ? JSON.parse(data) : { index: null, delta: null }
    const word = delta?.more ? undefined : (delta?.text ?? delta?.thinking ?? delta?.partial_json)
    const key = word === undefined ? `${event} ${data}` : `${index} ${delta.type}`
    const last = texts.at(-1)
    if (word !== undefined && last?.key === key) last.text += word
    else texts.push({ key, text: word ?? '' })
  }
  return texts.map(({ key, text }) => `${key}: ${text}`)
}

describe('merged deltas', () => {
  it.each(Array.from({ length: 60 }, (_, seed) => seed))(
    'have the same content, however the bytes are split (seed %i)',
    async (seed) => {
      const random = randomOf(seed)
      const bytes = Buffer.from(stream())
      const written: Buffer[] = []
      const merger = createDeltaMerger({ windowMs: 2, write: (part) => written.push(Buffer.from(part)) > 0 })
      for (const chunk of cut(bytes, random)) {
        merger.push(chunk)
        if (random() < 0.05) await sleep(random() * 6)
      }
      merger.end()
      const merged = Buffer.concat(written)
      expect(meaning(merged)).toEqual(meaning(bytes))
      expect(meaning(bytes).length).toBeGreaterThan(15)
    },
  )

  it('become one frame when they arrive together, and the first is sent at once', () => {
    const written: string[] = []
    const merger = createDeltaMerger({ windowMs: 10_000, write: (part) => written.push(String(part)) > 0 })
    const word = (text: string) => frame({ index: 0, delta: { type: 'text_delta', text } })
    merger.push(Buffer.from(word('one')))
    expect(written).toEqual([word('one')])
    for (const text of [' two', ' three', ' four']) merger.push(Buffer.from(word(text)))
    expect(written).toHaveLength(1)
    merger.push(Buffer.from(encodeSseFrame('ping', { type: 'ping' })))
    expect(written.slice(1)).toEqual([word(' two three four'), encodeSseFrame('ping', { type: 'ping' })])
    merger.end()
    expect(written).toHaveLength(3)
  })

  it('are held no longer than the window', async () => {
    const written: string[] = []
    const merger = createDeltaMerger({ windowMs: 20, write: (part) => written.push(String(part)) > 0 })
    const word = (text: string) => Buffer.from(frame({ index: 0, delta: { type: 'text_delta', text } }))
    for (const text of ['a', 'b', 'c']) merger.push(word(text))
    await expect.poll(() => written.length).toBe(2)
    expect(meaning(written.join(''))).toEqual(['0 text_delta: abc'])
    merger.end()
  })
})

describe('through the gateway', () => {
  const script = () => ({
    script: loadScenario(
      'steps: [{ repeat: true, then: { thinking: one two three, text: "a b c d e f g h i j k l m n o p", tools: [{ name: A, input: { x: 1 } }] } }]',
      'words.yaml',
    ),
  })

  it('lets the official client read the same message from fewer events, with the same booking', async () => {
    const count = async (mergeWindowMs: number) => {
      const { client, reported } = await openSimulated({ mode: script(), paceMs: 2 }, { mergeWindowMs })
      let events = 0
      const reading = client.messages.stream(hello).on('streamEvent', () => {
        events += 1
      })
      const { id: _, content, ...rest } = await reading.finalMessage()
      const words = content.map((block) => ({ ...block, ...('id' in block && { id: '' }) }))
      return { events, message: { ...rest, content: words }, usage: reported.settled[0]?.usage }
    }
    const plain = await count(0)
    const merged = await count(60_000)
    expect(merged.message).toEqual(plain.message)
    expect(merged.usage).toEqual(plain.usage)
    expect(merged.events).toBeLessThan(plain.events - 10)
  })

  it('leaves a stream without deltas, a broken stream and a whole body unchanged', async () => {
    const pieces = [
      'event: message_start\r\ndata: {}\r\n\r\n',
      ': c\n\n',
      'event: x\ndata: 1\ndata: 2\n\n',
      'event: half',
    ]
    for (const type of ['text/event-stream', 'application/json']) {
      const url = await openUpstream((_request, response) => {
        response.writeHead(200, { 'content-type': type })
        for (const piece of pieces) response.write(piece)
        response.end()
      })
      const { gateway } = await openGateway(url, { mergeWindowMs: 50 })
      const { baseUrl, token } = gateway.openSession(idOf('s1'))
      const headers = { 'x-api-key': token }
      const answer = await fetch(`${baseUrl}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(hello) })
      expect(await answer.text()).toBe(pieces.join(''))
    }
  })

  it('shows the received part before a break', async () => {
    const { client } = await openSimulated(
      { faults: [{ fault: { type: 'reset_mid_stream', after_deltas: 8 }, on: 'every' }] },
      { mergeWindowMs: 60_000 },
    )
    const seen: string[] = []
    const reading = client.messages.stream(hello).on('text', (delta) => seen.push(delta))
    await expect(reading.finalMessage()).rejects.toBeInstanceOf(Anthropic.AnthropicError)
    expect(seen.join('').split(' ').length).toBeGreaterThanOrEqual(8)
  })
})

describe('the frame splitter', () => {
  it.each(['\n', '\r\n', '\r'])('finds the frames for every kind of line end, and keeps every byte', (end) => {
    const text = `event: a${end}data: 1${end}${end}:${end}${end}data: 2${end}${end}rest`
    for (const size of [1, 2, 3, 100]) {
      const splitter = createFrameSplitter()
      const frames: Buffer[] = []
      for (let at = 0; at < text.length; at += size)
        frames.push(...splitter.push(Buffer.from(text.slice(at, at + size))))
      expect(frames).toHaveLength(3)
      expect(Buffer.concat([...frames, splitter.rest()]).toString()).toBe(text)
    }
  })
})
