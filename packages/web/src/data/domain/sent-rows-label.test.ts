import { expect, it } from 'vitest'
import { sentRowsLabel } from './sent-rows-label.ts'

it('says what the rows are that left, and of those nobody judged only that they are rows', () => {
  expect(sentRowsLabel({ rows: 4, rowsKind: 'summary' })).toBe('4 summary rows')
  expect(sentRowsLabel({ rows: 1, rowsKind: 'files' })).toBe('1 row of your files')
  expect(sentRowsLabel({ rows: 4 })).toBe('4 rows')
  expect(sentRowsLabel({ rows: 0 })).toBe('no rows')
})
