import { expect, it } from 'vitest'
import { type CodeLanguage, highlight } from './highlight.ts'

const tones = (code: string, language: CodeLanguage = 'sql') =>
  highlight(code, language).flatMap(({ text, tone }) => (tone === null ? [] : [`${tone}: ${text}`]))

it('distinguishes SQL keywords, names, strings, numbers and comments', () => {
  expect(tones(`SELECT round(avg("from"), 1) AS n -- select\nFROM t WHERE a = 'it''s 5' AND month = 7`)).toEqual([
    ...['word: SELECT', 'word: round', 'word: avg', 'number: 1', 'word: AS', 'comment: -- select', 'word: FROM'],
    ...['word: WHERE', "text: 'it''s 5'", 'word: AND', 'number: 7'],
  ])
})

it('marks a function only if it is called', () => {
  expect(tones('month(month)')).toEqual(['word: month'])
})

it('marks JavaScript keywords', () => {
  expect(tones('return data.map((row) => `a-5` + 1_000) // done', 'javascript')).toEqual([
    ...['word: return', 'text: `a-5`', 'number: 1_000', 'comment: // done'],
  ])
})

it.each(['sql', 'javascript'] as const)('keeps every character of %s, even if it is unterminated', (language) => {
  for (const code of ["'", '"', '/* a', '`x', '-- x', 'a\n\n', "'''", 'größe = 价格', '\u2028', '1.2.3', '']) {
    expect(
      highlight(code, language)
        .map(({ text }) => text)
        .join(''),
    ).toBe(code)
  }
})

it('is fast with a hostile text', () => {
  expect(highlight('/* '.repeat(50_000), 'sql')).toHaveLength(1)
  expect(highlight("'".repeat(50_001), 'sql').length).toBeGreaterThan(0)
  expect(highlight('`\\'.repeat(20_000), 'javascript').length).toBeGreaterThan(0)
})
