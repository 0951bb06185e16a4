import { expect, it } from 'vitest'
import { createHeldClock } from '../store/ports/contract/store-harness.contract.ts'
import { randomIds } from '../system/random-ids.ts'
import { openTestStore } from '../testing/test-store.fixture.ts'
import { createKeyRing } from './key-ring.ts'

const openKeys = async () => {
  const clock = createHeldClock()
  const store = await openTestStore({ clock })
  return { store, clock, keys: createKeyRing({ store, ids: randomIds, clock }).keys }
}

it('finds the key of a token and returns null for any other token', async () => {
  const { keys } = await openKeys()
  const ana = await keys.createKey({ name: 'ana' }, 'operator')
  const ben = await keys.createKey({ name: 'ben', scope: 'agent', owner: 'ana', requestsPerMinute: 6 }, 'operator')
  expect(await keys.find(ana.token)).toEqual({ name: 'ana', owner: 'ana', scope: 'operator', requestsPerMinute: null })
  expect(await keys.find(ben.token)).toEqual({ name: 'ben', owner: 'ana', scope: 'agent', requestsPerMinute: 6 })
  expect(await keys.find(`${ana.token}x`)).toBeNull()
})

it('stores no token', async () => {
  const { store, keys } = await openKeys()
  const { token, ...key } = await keys.createKey({ name: 'ana' }, 'operator')
  expect(JSON.stringify([key, await store.listKeys(), await store.readAudit(0, 100)])).not.toContain(token)
})

it('rejects a revoked key and notifies listeners', async () => {
  const { keys, clock } = await openKeys()
  const { token } = await keys.createKey({ name: 'ana' }, 'operator')
  clock.advance(1)
  await keys.createKey({ name: 'ben' }, 'operator')
  let revocations = 0
  const stop = keys.onRevoked(() => {
    revocations += 1
  })
  await keys.revokeKey('ana', 'operator')
  expect(revocations).toBe(1)
  expect(await keys.find(token)).toBeNull()
  expect((await keys.listKeys()).keys).toMatchObject([
    { name: 'ana', revokedAt: expect.any(String) },
    { name: 'ben', revokedAt: null },
  ])
  for (const name of ['ana', 'nobody']) {
    await expect(keys.revokeKey(name, 'operator')).rejects.toMatchObject({ code: 'key.not-found' })
  }
  stop()
  await keys.revokeKey('ben', 'operator')
  expect(revocations).toBe(1)
})

it('accepts a key until the moment it expires', async () => {
  const { keys, clock } = await openKeys()
  const expiresAt = new Date(clock.now().getTime() + 1000).toISOString()
  const { token } = await keys.createKey({ name: 'ana', expiresAt }, 'operator')
  clock.advance(1)
  const { token: lasting } = await keys.createKey({ name: 'ben' }, 'operator')
  clock.advance(998)
  expect(await keys.find(token)).toMatchObject({ name: 'ana' })
  const holding = new Map([
    [token, { msLeft: 1 }],
    [lasting, { msLeft: Number.POSITIVE_INFINITY }],
  ])
  expect(await keys.holding([token, lasting, 'another'])).toEqual(holding)
  clock.advance(1)
  expect(await keys.find(token)).toBeNull()
  expect([...(await keys.holding([token, lasting])).keys()]).toEqual([lasting])
  expect((await keys.listKeys()).keys).toMatchObject([{ name: 'ana', expiresAt, revokedAt: null }, { name: 'ben' }])
})

it('creates the budget of a key and lists all budgets of the key, each in its unit', async () => {
  const { keys, store } = await openKeys()
  await keys.createKey({ name: 'ana', budget: { limitUsd: 5, period: 'day' } }, 'operator')
  expect(await store.listBudgets()).toMatchObject([
    { scope: 'key', subject: 'ana', period: 'day', unit: 'usd', limit: 5, createdBy: 'operator' },
  ])
  const [made] = await store.listBudgets()
  if (made === undefined) throw new Error('no budget')
  const second = { ...made, id: 'bud_second000' as typeof made.id, period: 'month', unit: 'units', limit: 900 } as const
  await store.saveBudget(second, 'operator')
  await store.saveBudget({ ...second, id: 'bud_other0000' as typeof made.id, subject: 'ben' }, 'operator')
  const [{ budgets = [] } = {}] = (await keys.listKeys()).keys
  expect(budgets).toEqual([
    { limit: 5, unit: 'usd', period: 'day' },
    { limit: 900, unit: 'units', period: 'month' },
  ])
})

it('refuses a name in use, a reserved name and a malformed name', async () => {
  const { keys } = await openKeys()
  await keys.createKey({ name: 'ana' }, 'operator')
  await expect(keys.createKey({ name: 'ana' }, 'operator')).rejects.toMatchObject({ code: 'key.exists' })
  for (const name of ['operator', 'Clock']) {
    await expect(keys.createKey({ name }, 'operator')).rejects.toMatchObject({ code: 'key.exists' })
  }
  for (const name of ['', '1st', 'a b', 'a\nb', 'x'.repeat(65), `sk-ant-${'x'.repeat(20)}`]) {
    await expect(keys.createKey({ name }, 'operator')).rejects.toMatchObject({ code: 'request.invalid' })
    await expect(keys.createKey({ name: 'ben', owner: name }, 'operator')).rejects.toMatchObject({
      code: 'request.invalid',
    })
  }
})

it.each([
  [{ scope: 'root' }, /^scope: /],
  [{ expiresAt: '2026-05-04T10:00:00.000Z' }, /^expiresAt .* is in the past/],
  [{ expiresAt: 'soon' }, /^expiresAt: /],
  [{ requestsPerMinute: 0 }, /^requestsPerMinute: /],
  [{ budget: { limitUsd: -1 } }, /^budget.limitUsd: /],
])('refuses %j and says what is wrong', async (terms, problem) => {
  const { keys } = await openKeys()
  const made = keys.createKey({ name: 'ana', ...(terms as object) }, 'operator')
  await expect(made).rejects.toMatchObject({ code: 'request.invalid', message: expect.stringMatching(problem) })
  expect((await keys.listKeys()).keys).toEqual([])
})
