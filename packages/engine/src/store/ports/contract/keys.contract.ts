import { BudgetId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../../audit/audit-entry.ts'
import type { StoredBudget } from '../money-store.ts'
import { newKey, type OpenStore, withStore } from './store-harness.contract.ts'

const at = '2026-05-04T10:00:00.000Z'

const terms = { scope: 'agent', owner: 'ada', expiresAt: '2027-01-01T00:00:00.000Z', requestsPerMinute: 30 } as const

const budget: StoredBudget = {
  id: BudgetId.parse('bud_12345678'),
  scope: 'key',
  subject: 'ci',
  period: 'day',
  unit: 'usd',
  limit: 5,
  createdAt: at,
  createdBy: 'ada',
}

export function describeKeys(open: OpenStore): void {
  describe('keys', () => {
    it('are found by the hash of their token, even after they were revoked', () =>
      withStore(open, async ({ store, clock, reopen }) => {
        const made = await store.createKey(newKey({ name: 'ci', hash: 'h1', ...terms }), 'ada')
        clock.advance(1000)
        const phone = await store.createKey(newKey({ name: 'phone', hash: 'h2' }), 'ada')
        expect(made).toEqual({ id: 'key_ci', name: 'ci', ...terms, createdAt: at, revokedAt: null })
        const now = (await reopen?.()) ?? store
        expect(await now.findKey('h1')).toEqual(made)
        expect(await now.findKey('h3')).toBeNull()
        expect(await now.revokeKey('ci', 'bob')).toBe(true)
        expect(await now.revokeKey('ci', 'bob')).toBe(false)
        expect(await now.revokeKey('nobody', 'bob')).toBe(false)
        const revoked = { ...made, revokedAt: '2026-05-04T10:00:01.000Z' }
        expect(await now.findKey('h1')).toEqual(revoked)
        const many = Array.from({ length: 1200 }, (_, index) => `no ${index}`)
        expect([...(await now.findKeys(['h2', ...many, 'h1']))].sort()).toEqual([
          ['h1', revoked],
          ['h2', phone],
        ])
        expect(await now.listKeys()).toEqual([revoked, phone])
      }))

    it('are audited with their creator, owner and expiry', () =>
      withStore(open, async ({ store }) => {
        await store.createKey(newKey({ name: 'ci', hash: 'h1', ...terms }), 'ada')
        await store.createKey(newKey({ name: 'phone', hash: 'h2' }), 'ada')
        await store.revokeKey('ci', 'bob')
        const entries = await store.readAudit(0, 10)
        expect(entries.map(({ principal, action, subject, detail }) => [principal, action, subject, detail])).toEqual([
          ['ada', 'key.created', 'ci', { ...terms, tokenFingerprint: sha256('h1') }],
          ['ada', 'key.created', 'phone', { scope: 'operator', owner: 'phone', tokenFingerprint: sha256('h2') }],
          ['bob', 'key.revoked', 'ci', {}],
        ])
      }))

    it('are refused, without a budget, if their name is or was in use', () =>
      withStore(open, async ({ store }) => {
        await store.createKey(newKey({ name: 'ci', hash: 'h1' }), 'ada')
        await store.revokeKey('ci', 'ada')
        const again = store.createKey(newKey({ id: 'key_2', name: 'ci', hash: 'h2', budget }), 'ada')
        await expect(again).rejects.toMatchObject({ code: 'key.exists' })
        expect(await store.findKey('h2')).toBeNull()
        expect(await store.listBudgets()).toEqual([])
        expect(await store.readAudit(0, 10)).toHaveLength(2)
      }))

    it('are created together with their budget', () =>
      withStore(open, async ({ store }) => {
        await store.createKey(newKey({ name: 'ci', hash: 'h1', budget }), 'ada')
        expect(await store.listBudgets()).toEqual([budget])
        const [, saved] = await store.readAudit(0, 10)
        expect(saved).toMatchObject({
          principal: 'ada',
          action: 'budget.saved',
          detail: { scope: 'key', subject: 'ci' },
        })
      }))
  })
}
