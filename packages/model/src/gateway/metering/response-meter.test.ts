import { describe, expect, it } from 'vitest'
import { messageBody, messageEvents } from '../../wire/anthropic/message.ts'
import { encodeSseFrame } from '../../wire/sse-frame.ts'
import { createResponseMeter } from './response-meter.ts'

const usage = { inputTokens: 11, outputTokens: 22, cacheReadInputTokens: 33, cacheCreationInputTokens: 44 }
const message = {
  id: 'msg_1',
  model: 'claude-x',
  content: [{ type: 'text' as const, text: 'some words, ä' }],
  stopReason: 'end_turn' as const,
  stopSequence: null,
  usage,
}
const request = { requestId: 'req_1', model: 'claude-asked', inputTokens: 500 }
const bytes = (text: string) => new TextEncoder().encode(text)

describe('the response meter', () => {
  it('reads the same from a stream, byte by byte, as from the whole message', () => {
    const stream = createResponseMeter('text/event-stream; charset=utf-8', { request })
    const text = [...messageEvents(message)].map((event) => encodeSseFrame(event.type, event)).join('')
    for (const byte of bytes(text)) stream.push(Uint8Array.of(byte))
    const whole = createResponseMeter('application/json', { request })
    whole.push(bytes(JSON.stringify(messageBody(message))))
    const expected = { messageId: 'msg_1', servedModel: 'claude-x', usage, isComplete: true }
    expect(stream.read()).toEqual(expected)
    expect(whole.read()).toEqual(expected)
  })

  it('takes the counts of message_delta as totals and keeps counts that it does not repeat', () => {
    const meter = createResponseMeter('text/event-stream', { request })
    const start = {
      message: { id: 'm', model: 'c', usage: { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 9 } },
    }
    meter.push(bytes(encodeSseFrame('message_start', start)))
    meter.push(bytes(encodeSseFrame('message_delta', { usage: { output_tokens: 7, input_tokens: null } })))
    meter.push(bytes(encodeSseFrame('message_delta', { usage: { output_tokens: 12 } })))
    expect(meter.read()?.usage).toEqual({
      inputTokens: 5,
      outputTokens: 12,
      cacheReadInputTokens: 9,
      cacheCreationInputTokens: 0,
    })
  })

  it('finds no message in an error, in an empty body, or in another value', () => {
    for (const body of ['', '{"type":"error","error":{}}', '{"input_tokens":3}', 'not json']) {
      const meter = createResponseMeter('application/json', { request })
      meter.push(bytes(body))
      expect(meter.read()).toBeNull()
    }
    const stream = createResponseMeter('text/event-stream', { request })
    stream.push(bytes('event: message_start\ndata: {broken\n\n'))
    expect(stream.read()).toBeNull()
  })

  it.each([
    ['below zero', { input_tokens: -1_000_000, output_tokens: -5 }],
    ['no numbers', { input_tokens: 'many', output_tokens: {} }],
    ['fractions', { input_tokens: 0.5, output_tokens: 0.5 }],
    ['zero', { input_tokens: 0, output_tokens: 0 }],
    ['missing', {}],
    ['no object', 'free'],
    ['nothing', null],
  ])('estimates both sides where the counts are %s', (_what, reported) => {
    const words = 'x'.repeat(400)
    const stream = createResponseMeter('text/event-stream', { request })
    stream.push(bytes(encodeSseFrame('message_start', { message: { id: 'm', model: 'c', usage: reported } })))
    stream.push(bytes(encodeSseFrame('content_block_delta', { delta: { text: words } })))
    stream.push(bytes(encodeSseFrame('message_delta', { usage: reported })))
    expect(stream.read()).toMatchObject({
      messageId: 'm',
      servedModel: 'c',
      isComplete: false,
      usage: { inputTokens: 500, outputTokens: 100, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
    })
    const whole = createResponseMeter('application/json', { request })
    whole.push(
      bytes(JSON.stringify({ id: 'm', model: 'c', usage: reported, content: [{ type: 'text', text: words }] })),
    )
    expect(whole.read()).toMatchObject({ messageId: 'm', isComplete: false, usage: { inputTokens: 500 } })
    expect(whole.read()?.usage.outputTokens).toBeGreaterThanOrEqual(100)
  })

  it('keeps valid counts beside an invalid one', () => {
    const meter = createResponseMeter('text/event-stream', { request })
    const reported = { input_tokens: -1, cache_read_input_tokens: 90, output_tokens: 1 }
    meter.push(bytes(encodeSseFrame('message_start', { message: { id: 'm', model: 'c', usage: reported } })))
    meter.push(bytes(encodeSseFrame('message_delta', { usage: { output_tokens: 7 } })))
    expect(meter.read()?.usage).toMatchObject({ cacheReadInputTokens: 90, outputTokens: 7 })
  })

  it('names a message without an id after its request', () => {
    const meter = createResponseMeter('text/event-stream', { request })
    meter.push(bytes('event: message_start\ndata: {broken\n\n'))
    meter.push(bytes(encodeSseFrame('content_block_delta', { delta: { text: 'words all the same' } })))
    expect(meter.read()).toMatchObject({
      messageId: 'unnamed-req_1',
      servedModel: 'claude-asked',
      isComplete: false,
      usage: { inputTokens: 500, outputTokens: 5 },
    })
  })
})
