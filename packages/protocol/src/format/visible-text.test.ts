import { expect, it } from 'vitest'
import { visibleJson, visibleText } from './visible-text.ts'

it('makes characters visible that reverse a line, hide a letter or move the cursor', () => {
  expect(visibleText('rm \u202efdp.txt\u202c \u2066x\u2069 a\u200bb \u001b[2K\u0007')).toBe(
    'rm \\u202efdp.txt\\u202c \\u2066x\\u2069 a\\u200bb \\u001b[2K\\u0007',
  )
})

it('makes tag characters and invisible operators visible', () => {
  expect(visibleText('ls\u{e0041}\u{e007f} a\u2062b\u2064c\u206a')).toBe(
    'ls\\u{e0041}\\u{e007f} a\\u2062b\\u2064c\\u206a',
  )
})

it('leaves line breaks, tabs and the letters of every language unchanged', () => {
  const text = 'a\tb\r\n日本語 עברית\u200f فارسی\u200cها 👩\u200d🔧'
  expect(visibleText(text)).toBe(text)
})

it('keeps JSON equivalent, whatever it hides', () => {
  const every = Array.from({ length: 0xe0080 }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff)
  const text = String.fromCodePoint(...every.filter((code) => code < 0x2070 || code > 0xdffff), 0xfeff)
  const json = JSON.stringify({ text })
  expect(JSON.parse(visibleJson(json))).toEqual({ text })
  expect(visibleText(visibleJson(json))).toBe(visibleJson(json))
})
