import { expect, it } from 'vitest'
import { openTestStore } from '../testing/test-store.fixture.ts'
import { ensureFileBudget, removeOrphanedFileBudgets } from './file-budget.ts'

it('is removed with the file of its agent, while other budgets stay', async () => {
  const clock = { now: () => new Date('2026-05-04T10:00:00Z') }
  const store = await openTestStore({ clock })
  for (const name of ['stays', 'gone']) await ensureFileBudget({ store, clock }, { name, unitsPerDay: 10 })
  const [first] = await store.listBudgets()
  if (first === undefined) throw new Error('no budget')
  const own = { ...first, id: 'bud_ofapersonnumber1' as typeof first.id, createdBy: 'ana', subject: 'gone' } // matches the shape of an id
  await store.saveBudget(own, 'ana')

  await removeOrphanedFileBudgets(store, ['stays'])
  const left = (await store.listBudgets()).map(({ subject, createdBy }) => [subject, createdBy])
  expect(left.toSorted()).toEqual([
    ['gone', 'ana'],
    ['stays', 'agent file'],
  ])
})
