import { describe, expect, it } from 'vitest'
import { type ClientFrame, readClientFrame } from './client-frame.ts'

const read = (text: string): ClientFrame => readClientFrame({ type: 'text', text })

/** The same numbers for the same seed, so that failures can be reproduced. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

const pick = <Item>(random: (below: number) => number, items: readonly Item[]): Item | undefined =>
  items[random(items.length)]

function anyValue(random: (below: number) => number, depth = 0): unknown {
  const leaves = [
    null,
    true,
    0,
    -1.5,
    1e308,
    '',
    ' ',
    'hi',
    '\u0000',
    '\ud800',
    '__proto__',
    'x'.repeat(500),
    'apr_000001',
  ]
  const kind = random(depth > 3 ? 1 : 4)
  if (kind < 2) return pick(random, leaves)
  if (kind === 2) return Array.from({ length: random(4) }, () => anyValue(random, depth + 1))
  const keys = ['type', 'message', 'model', 'id', 'decision', 'answers', 'note', '__proto__', 'constructor', 'x']
  const types = ['model_change', 'reset', 'interrupt', 'approval', 'answer', 'message', 'toString']
  return Object.fromEntries(
    Array.from({ length: random(5) }, () => {
      const key = pick(random, keys) ?? 'x'
      return [key, key === 'type' && random(8) > 0 ? pick(random, types) : anyValue(random, depth + 1)]
    }),
  )
}

const known = ['message', 'reset', 'model_change', 'interrupt', 'approval', 'answer', 'refused']

describe('a frame of a client', () => {
  it('is either known or refused with a message, even with random content', () => {
    const random = randomFrom(7)
    const seen = new Set<string>()
    for (let round = 0; round < 8000; round += 1) {
      const text = JSON.stringify(anyValue(random)) ?? ''
      // Every third frame is cut or has a changed byte.
      const at = random(text.length + 1)
      const broken =
        random(2) === 0 ? text.slice(0, at) : `${text.slice(0, at)}${pick(random, ['{', '"', '\\', '\u0007'])}`
      const frame = read(round % 3 === 0 ? broken : text)
      expect(known).toContain(frame.type)
      if (frame.type === 'refused') expect(frame.words).toMatch(/^(Invalid JSON|Empty message|Error|Failed to switch)/)
      if (frame.type === 'message') expect(frame.content.trim()).not.toBe('')
      if (frame.type === 'model_change') expect(frame.model).not.toBe('')
      seen.add(frame.type)
    }
    expect([...seen]).toEqual(expect.arrayContaining(['message', 'reset', 'model_change', 'interrupt', 'refused']))
  })

  it('is read however deeply it is nested', () => {
    for (const text of ['['.repeat(500_000), `${'['.repeat(5000)}${']'.repeat(5000)}`, '{"message":'.repeat(20_000)]) {
      expect(read(text)).toMatchObject({ type: 'refused', words: expect.stringMatching(/^Invalid JSON/) })
    }
  })

  it('contains a decision or an answer with all its fields', () => {
    expect(read('{"type":"approval","id":"apr_000001","decision":"allow","note":"ok","input":{"a":1}}')).toEqual({
      type: 'approval',
      id: 'apr_000001',
      body: { decision: 'allow', note: 'ok', input: { a: 1 } },
    })
    expect(read('{"type":"answer","id":"qst_000001","answers":{"Which?":"this"}}')).toEqual({
      type: 'answer',
      id: 'qst_000001',
      body: { answers: { 'Which?': 'this' } },
    })
  })
})
