import { describe, expect, it } from 'vitest'
import type { ImportPlan, PlannedTable } from '../../../domain/import-plan.ts'
import {
  likeBefore,
  lockedAs,
  problemOf,
  withCheckedReadings,
  withColumn,
  withFreeNames,
  withTable,
  withUnusedNames,
} from './plan-edits.ts'

const table = (name: string, columns: readonly string[] = ['id', 'city']): PlannedTable => ({
  part: null,
  isChosen: true,
  name,
  columns: columns.map((column) => ({ sourceName: column, name: column, type: 'VARCHAR' })),
  preview: { columns: [], rows: [] },
  rowCount: null,
})

const plan = (...tables: readonly PlannedTable[]): ImportPlan => ({
  file: 'a.csv',
  sizeBytes: 10,
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ',',
  hasHeader: true,
  tables,
  warnings: [],
})

describe('editing a plan', () => {
  it('finds no problem in a detected plan', () => {
    expect(problemOf(plan(table('depots')))).toBeNull()
  })

  it('compares each name of a wide table a few times, not with every other', () => {
    let looks = 0
    const wide = table('wide', [])
    const columns = Array.from({ length: 2000 }, (_, at) => ({
      sourceName: `c${at}`,
      type: 'VARCHAR',
      get name() {
        looks += 1
        return `c${at}`
      },
    }))
    expect(problemOf(plan({ ...wide, columns }))).toBeNull()
    expect(looks).toBeLessThan(10_000)
  })

  it('reports a missing name, a duplicate name, no columns, no table, and the name of a step', () => {
    const depots = table('depots')
    expect(problemOf(plan(table(' ')))).toBe('Enter a name for the table.')
    expect(problemOf(plan(depots, table('Depots')))).toBe('Two tables are named “Depots”.')
    expect(problemOf(plan(table('step_3')))).toContain('reserved for analysis steps')
    expect(problemOf(plan({ ...depots, isChosen: false }))).toBe('Choose at least one table.')
    const without = depots.columns.reduce((made, _, index) => withColumn(made, index, { type: null }), depots)
    expect(problemOf(plan(without))).toBe('All columns of “depots” are left out.')
    expect(problemOf(plan(withColumn(depots, 1, { name: 'ID' })))).toBe('Two columns of “depots” are named “ID”.')
    expect(problemOf(plan(withColumn(depots, 1, { name: '' })))).toBe('A column of “depots” has no name.')
  })

  it('allows duplicate names for columns and tables that are left out', () => {
    const twice = withColumn(table('a'), 1, { name: 'id', type: null })
    expect(problemOf(plan(twice, { ...table('a'), isChosen: false }))).toBeNull()
  })

  it('gives a table the next free name, ignoring case', () => {
    const named =
      (...parts: readonly PlannedTable[]) =>
      (taken: readonly string[], replaces: readonly string[] = []) =>
        withFreeNames(plan(...parts), { taken, replaces }).tables.map(({ name }) => name)
    expect(named(table('Sales'), table('new'), table('new'))(['sales'])).toEqual(['Sales_2', 'new', 'new_2'])
    expect(named(table('sales_2024'))(['sales_2024'])).toEqual(['sales_2024_2'])
    // Numbered by the planner because of a table that was removed or added since.
    const numbered = { ...table('sales_2'), part: 'sales' }
    expect(named(numbered)([])).toEqual(['sales'])
    expect(named(numbered)(['sales', 'sales_2'])).toEqual(['sales_3'])
    expect(named(numbered)(['sales'], ['sales'])).toEqual(['sales'])
    expect(named(numbered)(['sales_2'], ['sales_2'])).toEqual(['sales_2'])
  })

  it('gives up a name that another tab took, unless the user chose to replace that table', () => {
    const names = ['Sold', 'due']
    const [sold, due, free] = withUnusedNames(plan(table('sold'), table('due'), table('depots')), {
      names,
      agreed: ['due'],
    }).tables
    expect([sold?.name, due?.name, free?.name]).toEqual(['sold_2', 'due', 'depots'])
    const alone = plan(table('depots'))
    expect(withUnusedNames(alone, { names, agreed: [] })).toBe(alone)
  })

  it('reads a re-attached file like the table before: name, types and one sheet', () => {
    const found = plan({ ...table('Sheet1'), part: 'Sheet1' }, { ...table('north'), part: 'north' })
    const like = likeBefore(found, { name: 'north', columns: [{ name: 'ID', type: 'BIGINT' }] })
    expect(like.tables.map(({ isChosen }) => isChosen)).toEqual([false, true])
    expect(like.tables[1]?.columns.map(({ name, type }) => `${name} ${type}`)).toEqual(['ID BIGINT', 'city VARCHAR'])
  })

  it('takes over the readings that the check completed', () => {
    const column = { values: 1, misfits: 0, examples: [] }
    const check = {
      isWhole: true,
      tables: [
        { rows: 1, rejectedRows: 0, wrongWidth: 0, columns: [column, { ...column, reading: { dates: 'day-first' } }] },
      ],
    } as const
    const [checked] = withCheckedReadings(plan(table('a')), check).tables
    expect(checked?.columns.map(({ reading }) => reading)).toEqual([undefined, { dates: 'day-first' }])
  })

  it('takes over the current locks of a table for a file that is read again', () => {
    const proposed = withColumn(table('a'), 1, { personal: 'looks like names of people', isLocked: true })
    const isLocked = (neverSent: readonly string[]) =>
      lockedAs(plan(proposed), [{ name: 'A', neverSent }]).tables[0]?.columns[1]?.isLocked
    expect(isLocked([])).toBeUndefined()
    expect(isLocked(['city'])).toBe(true)
    const like = likeBefore(plan(proposed), { name: 'a', columns: [{ name: 'city', type: 'VARCHAR' }] })
    expect(like.tables[0]?.columns[1]?.isLocked).toBeUndefined()
  })

  it('changes one table and leaves the others', () => {
    const changed = withTable(plan(table('a'), table('b')), 1, { name: 'c' })
    expect(changed.tables.map(({ name }) => name)).toEqual(['a', 'c'])
  })
})
