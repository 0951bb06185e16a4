import { expect, it } from 'vitest'
import { cutText, ellipsize, lastPart } from './cut-text.ts'

it.each([
  ['a🙂b', 1, 'a'],
  ['a🙂b', 2, 'a'],
  ['a🙂b', 3, 'a🙂'],
  ['a🙂', 3, 'a🙂'],
  ['abc', 5, 'abc'],
  ['', 0, ''],
])('%j cut to %i is %j: no half of a surrogate pair is left', (text, limit, cut) => {
  expect(cutText(text, limit)).toBe(cut)
})

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['abcd', 1, '…'],
  ['abcd', 0, ''],
  ['a🙂b', 3, 'a…'],
  ['ab cd', 4, 'ab…'],
])('%j in %i characters is %j', (text, limit, shown) => {
  expect(ellipsize(text, limit)).toBe(shown)
})

it.each([
  ['a🙂b', 1, 'b'],
  ['a🙂b', 2, 'b'],
  ['a🙂b', 3, '🙂b'],
  ['ab', 5, 'ab'],
  ['ab', 0, ''],
])('the last part of %j with %i characters is %j', (text, limit, shown) => {
  expect(lastPart(text, limit)).toBe(shown)
})
