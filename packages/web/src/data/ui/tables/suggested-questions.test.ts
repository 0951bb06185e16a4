import { describe, expect, it } from 'vitest'
import { kindOf } from '../../domain/cells.ts'
import { importedTable } from '../../domain/imported-table.fixture.ts'
import { suggestedQuestions } from './suggested-questions.ts'

const deliveries = importedTable('deliveries', {
  order_id: 'BIGINT',
  region: 'VARCHAR',
  depot_id: 'BIGINT',
  promised_at: 'TIMESTAMP',
  delivered_at: 'TIMESTAMP',
  carrier: 'VARCHAR',
  weight_kg: 'DOUBLE',
  customer_email: 'VARCHAR',
})
const depots = importedTable('depots', { id: 'BIGINT', city: 'VARCHAR', opened_year: 'BIGINT' })

describe('suggestedQuestions', () => {
  it('uses dates, groups and measures, never ids', () => {
    const questions = suggestedQuestions([deliveries])
    expect(questions).toContain('What is the average weight kg by month of promised at in deliveries?')
    expect(questions).toContain('What is the average weight kg by region in deliveries?')
    expect(questions).toContain('How many rows are there for each region in deliveries?')
    expect(questions.join(' ')).not.toMatch(/\bid\b/)
    expect(questions.length).toBeGreaterThanOrEqual(3)
    expect(questions.length).toBeLessThanOrEqual(5)
  })

  it('puts a join first', () => {
    const join = {
      left: { table: 'deliveries', column: 'depot_id' },
      right: { table: 'depots', column: 'id' },
      matchRate: 0.996,
    }
    expect(suggestedQuestions([deliveries, depots], [join])[0]).toBe(
      'What is the average weight kg in deliveries for each city of depots?',
    )
  })

  it('does not ask for the highest year', () => {
    expect(suggestedQuestions([depots]).join(' ')).not.toContain('year')
  })

  it('names neither locked columns nor addresses of people', () => {
    const locked = { ...deliveries, neverSent: ['region', 'weight_kg'] }
    const words = suggestedQuestions([locked]).join(' ')
    expect(words).not.toMatch(/region|weight|email/)
    expect(words).toContain('carrier')
  })

  it('skips columns with one value and groups with hardly more than one row each', () => {
    const staff = importedTable('employees', {
      nickname_1: 'VARCHAR',
      Datum: 'VARCHAR',
      branch: 'VARCHAR',
      hours: 'DOUBLE',
      salary: 'DOUBLE',
      hired_on: 'DATE',
    })
    const distinct: Readonly<Record<string, number>> = { nickname_1: 100, Datum: 12, branch: 4, hours: 1, salary: 60 }
    const columns = staff.columns.map((column) => ({
      column,
      kind: kindOf(column),
      nulls: 0,
      distinct: distinct[column.name] ?? 50,
      isUnique: false,
      range: null,
      quantiles: null,
      bins: [],
      top: [],
      remarks: [],
    }))
    const profile = { table: 'employees', rowCount: 100, duplicateRows: null, columns }
    expect(suggestedQuestions([staff], [], [profile])).toEqual([
      'What is the average salary by branch in employees?',
      'How many rows are there for each branch in employees?',
      'What is the highest salary in employees?',
    ])
  })

  it('has one question for a table with only ids, and none for an empty one', () => {
    expect(suggestedQuestions([importedTable('links', { a_id: 'BIGINT' })])).toHaveLength(1)
    expect(suggestedQuestions([{ ...deliveries, rowCount: 0 }])).toEqual([])
  })
})
