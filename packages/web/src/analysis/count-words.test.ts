import { expect, it } from 'vitest'
import { countWords } from './count-words.ts'

it('one is one, all others are many, and thousands can be read', () => {
  expect([0, 1, 2, 6000].map((count) => countWords(count, 'row'))).toEqual(['0 rows', '1 row', '2 rows', '6,000 rows'])
  expect(countWords(2, 'query', 'queries')).toBe('2 queries')
})
