import { expect, it } from 'vitest'
import { sentRowsWords } from './sent-rows-words.ts'

it('says what the rows are that left, and of those nobody judged only that they are rows', () => {
  expect(sentRowsWords({ rows: 4, rowsKind: 'summary' })).toBe('4 summary rows')
  expect(sentRowsWords({ rows: 1, rowsKind: 'files' })).toBe('1 row of your files')
  expect(sentRowsWords({ rows: 4 })).toBe('4 rows')
  expect(sentRowsWords({ rows: 0 })).toBe('no rows')
})
