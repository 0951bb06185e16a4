import { expect, it } from 'vitest'
import type { TableCheck } from '../../../domain/import-plan.ts'
import { addAnywayLabel, rejectedWarning } from './review-labels.ts'

const checked = (table: Omit<TableCheck, 'columns'>, isWhole = true) => ({
  isWhole,
  tables: [{ ...table, columns: [] }, null],
})

it('suggests another type for misfits, and explains rows of a different width', () => {
  expect(rejectedWarning(checked({ rows: 38, rejectedRows: 38, wrongWidth: 0 }))).toBe(
    '38 of 38 rows would be rejected. The table would be empty. Choose other types, or treat these values as empty.',
  )
  expect(rejectedWarning(checked({ rows: 4, rejectedRows: 2, wrongWidth: 2 }))).toBe(
    '2 of 4 rows would be rejected. They have a different number of values than the table has columns.',
  )
})

it('gives no exact count when only samples of the file were checked', () => {
  const sampled = checked({ rows: 4000, rejectedRows: 1, wrongWidth: 0 }, false)
  expect(rejectedWarning(sampled)).toContain('1 of the 4,000 rows checked would be rejected.')
  expect(addAnywayLabel(sampled)).toBe('Add without rejected rows')
  expect(addAnywayLabel({ ...sampled, isWhole: true })).toBe('Add without 1 row')
})
