import { expect, it } from 'vitest'
import { cutText, wholeText } from './whole-text.ts'

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

it('replaces a lone surrogate and keeps whole characters', () => {
  expect(wholeText('a\ud83db\ude42 🙂')).toBe('a\ufffdb\ufffd 🙂')
})
