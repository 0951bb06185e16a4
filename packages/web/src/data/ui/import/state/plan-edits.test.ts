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
  it('a plan as it is found has no problem', () => {
    expect(problemOf(plan(table('depots')))).toBeNull()
  })

  it('looks at each name of a wide table a few times, not once for every other', () => {
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

  it('says what is in the way: no name, a name twice, no column left, no table chosen, the name of a step', () => {
    const depots = table('depots')
    expect(problemOf(plan(table(' ')))).toBe('A table needs a name.')
    expect(problemOf(plan(depots, table('Depots')))).toBe('Two tables are called “Depots”.')
    expect(problemOf(plan(table('step_3')))).toContain('name of a step')
    expect(problemOf(plan({ ...depots, isChosen: false }))).toBe('Choose at least one table.')
    const without = depots.columns.reduce((made, _, index) => withColumn(made, index, { type: null }), depots)
    expect(problemOf(plan(without))).toBe('No column of “depots” is left.')
    expect(problemOf(plan(withColumn(depots, 1, { name: 'ID' })))).toBe('Two columns of “depots” are called “ID”.')
    expect(problemOf(plan(withColumn(depots, 1, { name: '' })))).toBe('A column of “depots” has no name.')
  })

  it('a column that is left out may share its name, and a table that is not chosen may too', () => {
    const twice = withColumn(table('a'), 1, { name: 'id', type: null })
    expect(problemOf(plan(twice, { ...table('a'), isChosen: false }))).toBeNull()
  })

  it('a table gets the next name that is free, whatever the case of those taken', () => {
    const named =
      (...parts: readonly PlannedTable[]) =>
      (taken: readonly string[], replaces: readonly string[] = []) =>
        withFreeNames(plan(...parts), { taken, replaces }).tables.map(({ name }) => name)
    expect(named(table('Sales'), table('new'), table('new'))(['sales'])).toEqual(['Sales_2', 'new', 'new_2'])
    expect(named(table('sales_2024'))(['sales_2024'])).toEqual(['sales_2024_2'])
    // Numbered by the planner because of a table that has gone, or that came, since.
    const numbered = { ...table('sales_2'), part: 'sales' }
    expect(named(numbered)([])).toEqual(['sales'])
    expect(named(numbered)(['sales', 'sales_2'])).toEqual(['sales_3'])
    expect(named(numbered)(['sales'], ['sales'])).toEqual(['sales'])
    expect(named(numbered)(['sales_2'], ['sales_2'])).toEqual(['sales_2'])
  })

  it('a name that another tab took meanwhile is let go, unless the person said to replace that table', () => {
    const names = ['Sold', 'due']
    const [sold, due, free] = withUnusedNames(plan(table('sold'), table('due'), table('depots')), {
      names,
      agreed: ['due'],
    }).tables
    expect([sold?.name, due?.name, free?.name]).toEqual(['sold_2', 'due', 'depots'])
    const alone = plan(table('depots'))
    expect(withUnusedNames(alone, { names, agreed: [] })).toBe(alone)
  })

  it('a file that came back is read as the table was: its name, types and the one sheet of it', () => {
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
