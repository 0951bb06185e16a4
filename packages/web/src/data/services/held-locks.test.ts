import { expect, it } from 'vitest'
import { importedTable } from '../domain/imported-table.fixture.ts'
import { createHeldLocks } from './held-locks.ts'

const people = importedTable('people', { id: 'BIGINT', email: 'VARCHAR', phone: 'VARCHAR' }, { neverSent: ['phone'] })
const locked = (tables: readonly { name: string; neverSent: readonly string[] }[]) =>
  tables.map(({ name, neverSent }) => [name, neverSent])

it('adds the locks of this page to the stored ones until they are stored', () => {
  const locks = createHeldLocks()
  locks.hold(people, ['id'])
  locks.hold(people, ['email'])
  expect(locked(locks.applyTo([people]))).toEqual([['people', ['id', 'email', 'phone']]])
  locks.release('people')
  expect(locks.applyTo([people])).toEqual([people])
})

it('applies to another file of that name, ignoring case in column names', () => {
  const locks = createHeldLocks()
  locks.hold(people, ['email'])
  const other = importedTable('People', { Email: 'VARCHAR', city: 'VARCHAR' }, { addedAt: '2026-02-02T00:00:00Z' })
  expect(locked(locks.applyTo([other]))).toEqual([['People', ['Email']]])
})

it('applies to the same rows under another name, and not to other tables', () => {
  const locks = createHeldLocks()
  locks.hold(people, ['email'])
  const renamed = { ...people, name: 'persons' }
  const other = importedTable('staff', { email: 'VARCHAR' }, { addedAt: '2026-02-02T00:00:00Z' })
  expect(locked(locks.applyTo([renamed, other]))).toEqual([
    ['persons', ['email', 'phone']],
    ['staff', []],
  ])
  locks.release('persons')
  expect(locked(locks.applyTo([renamed]))).toEqual([['persons', ['phone']]])
})
