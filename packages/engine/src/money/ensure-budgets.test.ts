import { expect, it } from 'vitest'
import { openTestStore } from '../testing/test-store.fixture.ts'
import { ensureBudgets } from './ensure-budgets.ts'

it('applies the budgets of the file at each start, and keeps those created by people', async () => {
  const clock = { now: () => new Date('2026-05-04T10:00:00Z') }
  const store = await openTestStore({ clock })
  const daily = { scope: 'user', subject: '*', period: 'day', limit: 2 } as const
  const monthly = { scope: 'all', period: 'month', unit: 'units', limit: 1000 } as const
  const limits = async () => (await store.listBudgets()).map(({ scope, limit }) => [scope, limit])

  await ensureBudgets({ store, clock }, [daily, monthly])
  const [first] = await store.listBudgets()
  if (first === undefined) throw new Error('no budget')
  await store.saveBudget({ ...first, id: first.id, limit: 9 }, 'ana')
  await ensureBudgets({ store, clock }, [daily, monthly])
  expect(await limits()).toEqual(
    expect.arrayContaining([
      ['user', 2],
      ['all', 1000],
    ]),
  )

  const own = { ...first, id: 'bud_ofapersonnumber1' as typeof first.id, createdBy: 'ana', limit: 7 } // matches the shape of an id
  await store.saveBudget(own, 'ana')
  await ensureBudgets({ store, clock }, [{ ...daily, limit: 3 }])
  expect((await limits()).toSorted()).toEqual([
    ['user', 3],
    ['user', 7],
  ])
})
