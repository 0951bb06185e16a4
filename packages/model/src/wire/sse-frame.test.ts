import { describe, expect, it } from 'vitest'
import { createSseFrameParser, encodeSseFrame, type ProviderFrame } from './sse-frame.ts'

describe('the SSE frame parser', () => {
  it('reads back what the encoder wrote', () => {
    const text = encodeSseFrame('ping', { type: 'ping' }) + encodeSseFrame('x', 'line\nbreak')
    expect(createSseFrameParser().push(text)).toEqual([
      { event: 'ping', data: '{"type":"ping"}' },
      { event: 'x', data: '"line\\nbreak"' },
    ])
  })

  it('joins several data lines, ignores comments and unknown fields, and names a frame without event "message"', () => {
    const text = ': hello\nid: 7\ndata: one\ndata:two\n\nevent: empty\n\ndata\n\n'
    expect(createSseFrameParser().push(text)).toEqual([
      { event: 'message', data: 'one\ntwo' },
      { event: 'message', data: '' },
    ])
  })

  it('drops an unfinished frame', () => {
    expect(createSseFrameParser().push('event: a\ndata: 1\n')).toEqual([])
  })

  it('throws on an endless frame, in one line or in many', () => {
    for (const piece of ['x'.repeat(1024 * 1024), `data: ${'x'.repeat(1024 * 1024)}\n`]) {
      const parser = createSseFrameParser()
      parser.push('event: a\ndata: ')
      expect(() => {
        for (let n = 0; n < 70; n += 1) parser.push(piece)
      }).toThrow('larger than')
    }
  })

  it('returns the same frames for any split of the same bytes, for every kind of line end', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = seededRandom(seed)
      const { bytes, frames } = randomStream(random)
      const parser = createSseFrameParser()
      const seen: ProviderFrame[] = []
      for (const chunk of randomSplit(bytes, random)) seen.push(...parser.push(chunk))
      expect(seen, `seed ${seed}`).toEqual(frames)
    }
  })
})

function randomStream(random: () => number): { bytes: Uint8Array; frames: ProviderFrame[] } {
  const words = ['ä', '漢字', '🙂', 'plain', ' spaced ', '{"a":1}', ':', 'data: x', '']
  const endings = ['\n', '\r\n', '\r']
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const frames: ProviderFrame[] = []
  let text = random() < 0.2 ? '\uFEFF' : ''
  for (let n = 0; n < 1 + random() * 6; n += 1) {
    const end = pick(endings)
    const event = pick(['', 'message_start', 'content_block_delta'])
    const lines = Array.from(
      { length: 1 + Math.floor(random() * 3) },
      () => `${pick(words)}${pick(words)}${pick(words)}`,
    )
    if (random() < 0.3) text += `: comment ${pick(words)}${end}`
    if (event) text += `event: ${event}${end}`
    for (const line of lines) text += `data: ${line}${end}`
    text += end
    frames.push({ event: event || 'message', data: lines.join('\n') })
  }
  // A carriage return at the very end could be the first half of a line end: the parser waits for the next bytes.
  return { bytes: new TextEncoder().encode(`${text}: end\n`), frames }
}

function randomSplit(bytes: Uint8Array, random: () => number): Uint8Array[] {
  const chunks: Uint8Array[] = []
  const largest = random() < 0.3 ? 1 : 1 + Math.floor(random() * 20)
  for (let at = 0; at < bytes.length; ) {
    const size = Math.min(bytes.length - at, Math.floor(random() * (largest + 1)))
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

function seededRandom(seed: number): () => number {
  let state = seed * 2654435761
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
