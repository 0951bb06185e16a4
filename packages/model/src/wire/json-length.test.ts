import { expect, it } from 'vitest'
import { jsonLength } from './json-length.ts'

const samples: readonly unknown[] = [
  ...[null, true, 0, -1.5e-7, '', 'ä "quoted"\n\\', [], {}, [[]], [{}, {}], { a: {} }],
  { text: 'one\ntwo', list: [1, [2, { three: null }], 'four'], 'a "key"': { deep: [false] }, none: undefined },
  [undefined, 1],
]

it('is the length of the JSON', () => {
  for (const sample of samples) expect(jsonLength(sample)).toBe(JSON.stringify(sample).length)
})

it('excludes values that are left out', () => {
  const message = { text: 'hi', source: { data: 'x'.repeat(1000) } }
  expect(jsonLength([message], (key) => key === 'source')).toBe('[{"text":"hi"}]'.length)
})

it('handles any depth', () => {
  const depth = 200_000
  expect(jsonLength(JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`))).toBe(2 * depth)
})
