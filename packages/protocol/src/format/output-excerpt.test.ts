import { expect, it } from 'vitest'
import { outputExcerpt } from './output-excerpt.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`)

it('shows a short output whole', () => {
  expect(outputExcerpt('a\nError: b\nc\n\n', 16)).toEqual(['a', 'Error: b', 'c'])
})

it('shows the failing lines of a long output with the lines around them', () => {
  const lines = numbered(60)
  lines[9] = 'not ok 3 - adds up'
  lines[29] = 'AssertionError [ERR_ASSERTION]: 3 !== 4'
  expect(outputExcerpt(lines.join('\n'), 16)).toEqual([
    '… 8 lines',
    'line 9',
    'not ok 3 - adds up',
    'line 11',
    'line 12',
    '… 16 lines',
    'line 29',
    'AssertionError [ERR_ASSERTION]: 3 !== 4',
    'line 31',
    'line 32',
    '… 28 lines',
  ])
})

it('shows the first failures when there are more lines than the limit', () => {
  const lines = numbered(100).map((line) => `error at ${line}`)
  const shown = outputExcerpt(lines.join('\n'), 8)
  expect(shown).toHaveLength(9)
  expect(shown.at(0)).toBe('error at line 1')
  expect(shown.at(-1)).toBe('… 92 lines')
})

it('shows the beginning and the end when no line reports a failure', () => {
  const lines = numbered(40)
  lines[20] = '0 errors, 0 failed'
  const shown = outputExcerpt(lines.join('\n'), 6)
  expect(shown).toEqual(['line 1', 'line 2', '… 34 lines', 'line 37', 'line 38', 'line 39', 'line 40'])
})
