import { expect, it } from 'vitest'
import type { ImportPlan, PlannedColumn } from '../domain/import-plan.ts'
import { importedTable } from '../domain/imported-table.fixture.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import { followLocks, type ReadTable } from './follow-locks.ts'

/** `email` as in the file, `email>contact` renamed, `-email` left out. */
const columnOf = (words: string): PlannedColumn => {
  const [source = '', name = source] = words.replace(/^-/, '').split('>')
  return { sourceName: source, name, type: words.startsWith('-') ? null : 'VARCHAR' }
}

const planOf = (name: string, columns: readonly string[], choices: Partial<ImportPlan> = {}): ImportPlan => ({
  file: 'people.csv',
  sizeBytes: 3,
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ',',
  hasHeader: true,
  warnings: [],
  ...choices,
  tables: [
    {
      part: null,
      isChosen: true,
      name,
      rowCount: 1,
      columns: columns.map(columnOf),
      preview: { columns: [], rows: [] },
    },
  ],
})

const people = (columns: readonly string[], change: Partial<ImportedTable>): ReadTable => {
  const table = importedTable('people', {}, change)
  return { table: { ...table, source: { ...table.source, fingerprint: 'f1' } }, plan: planOf('people', columns) }
}

const email = people(['id', 'email'], { neverSent: ['email'] })
const sameFile = (plan: ImportPlan, before = email) => {
  const name = plan.tables[0]?.name ?? ''
  return followLocks({ name, plan, fingerprint: 'f1' }, [before])
}
const otherFile = (columns: readonly string[], before = email) =>
  followLocks({ name: 'people', plan: planOf('people', columns), fingerprint: 'f2' }, [before])

it.each([
  ['another name of the column', planOf('people', ['id', 'email>contact']), ['contact']],
  ['another name of the table', planOf('staff', ['id', 'email']), ['email']],
  ['both', planOf('staff', ['id', 'email>contact']), ['contact']],
  ['without its header', planOf('people', ['>column_1', '>column_2'], { hasHeader: false }), ['column_2']],
  ['with another delimiter it may be anywhere', planOf('people', ['id,email'], { delimiter: ';' }), ['id,email']],
  ['another case of the table name', planOf('People', ['id', 'email>contact']), ['contact']],
])('follows its column in the same file: %s', (_, plan, names) => {
  expect(sameFile(plan).neverSent).toEqual(names)
})

it('follows its column into another file under the same table name', () => {
  expect(otherFile(['nr', 'Email>contact']).neverSent).toEqual(['contact'])
  expect(otherFile(['nr', 'mail>email']).neverSent).toEqual(['email'])
  const renamed = people(['id', 'email>contact'], { neverSent: ['contact'] })
  expect(otherFile(['email', 'nr'], renamed).neverSent).toEqual(['email'])
  const nameless = people(['>column_1', '>mail'], { neverSent: ['mail'] })
  expect(otherFile(['>column_1', '>column_2'], nameless).neverSent).toEqual(['column_2'])
})

it('waits for a missing column, even if another column takes its name', () => {
  const without = sameFile(planOf('people', ['id>email', '-email']))
  expect(without).toMatchObject({ neverSent: ['email'], lockedAway: [{ name: 'email', sourceName: 'email' }] })
  const { lockedAway } = otherFile(['nr'])
  expect(lockedAway).toEqual([{ name: 'email', sourceName: 'email' }])
  expect(otherFile(['nr', 'email>contact'], people(['nr'], { lockedAway })).neverSent).toEqual(['contact'])
  const leftOut = people(['id', '-email'], { lockedAway })
  expect(sameFile(planOf('staff', ['id', 'email>contact']), leftOut)).toMatchObject({
    neverSent: ['contact'],
    lockedAway: [],
  })
})

it('does not apply to another table of another file', () => {
  const plan = planOf('orders', ['email'])
  expect(followLocks({ name: 'orders', plan, fingerprint: 'f2' }, [email]).neverSent).toEqual([])
})

it('uses column names for a table without a known plan', () => {
  const unknown = { ...email, plan: null }
  expect(otherFile(['nr', 'email>contact'], unknown).neverSent).toEqual(['contact'])
  expect(sameFile(planOf('staff', ['id', 'email>contact']), unknown).neverSent).toEqual(['contact'])
})
