import { expect, it } from 'vitest'
import { visibleText } from './visible-text.ts'

it('shows what would turn a line round, hide a letter or move a cursor', () => {
  expect(visibleText('rm \u202efdp.txt\u202c \u2066x\u2069 a\u200bb \u001b[2K\u0007')).toBe(
    'rm \\u202efdp.txt\\u202c \\u2066x\\u2069 a\\u200bb \\u001b[2K\\u0007',
  )
})

it('shows letters written as tags and operators that have no shape', () => {
  expect(visibleText('ls\u{e0041}\u{e007f} a\u2062b\u2064c\u206a')).toBe(
    'ls\\u{e0041}\\u{e007f} a\\u2062b\\u2064c\\u206a',
  )
})

it('leaves lines, tabs and the letters of every language alone', () => {
  const text = 'a\tb\r\n日本語 עברית\u200f فارسی\u200cها 👩\u200d🔧'
  expect(visibleText(text)).toBe(text)
})
