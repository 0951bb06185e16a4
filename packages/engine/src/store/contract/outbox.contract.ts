import { describe, expect, it } from 'vitest'
import type { EventStore } from '../event-store.ts'
import { approvalRequested, created, type OpenStore, sessionId, thought, withStore } from './world.contract.ts'

const one = sessionId(1)
const start = '2026-05-04T10:00:00.000Z'
const later = '2026-05-04T10:00:05.000Z'
const week = 7 * 24 * 60 * 60 * 1000

export function describeOutbox(open: OpenStore): void {
  describe('outbox', () => {
    it('has a delivery for each webhook and event it wants, and none of a refused append', () =>
      withStore(open, async ({ store, reopen }) => {
        await store.append(one, 0, [created()])
        store.setWebhooks([
          { id: 'pager', events: ['ApprovalRequested'] },
          { id: 'log', events: ['ApprovalRequested', 'AgentThought'] },
        ])
        await store.append(one, 1, [thought('a'), approvalRequested(1)])
        await expect(store.append(one, 1, [approvalRequested(2)])).rejects.toThrow()
        const now = (await reopen?.()) ?? store
        const due = await now.dueDeliveries(start, 10)
        expect(due.map((delivery) => `${delivery.webhookId} ${delivery.seq} ${delivery.type}`).sort()).toEqual([
          'log 2 AgentThought',
          'log 3 ApprovalRequested',
          'pager 3 ApprovalRequested',
        ])
        expect(due[0]).toMatchObject({ sessionId: one, at: start, attempts: 0, nextAt: start, lastError: null })
        expect(new Set(due.map((delivery) => delivery.id)).size).toBe(3)
        expect(await now.dueDeliveries('2026-05-04T09:59:59.999Z', 10)).toEqual([])
        expect(await now.dueDeliveries(start, 2)).toHaveLength(2)
      }))

    it('brings a failed delivery back when its time has come, with what went wrong', () =>
      withStore(open, async ({ store }) => {
        const id = await enqueueOne(store)
        await store.settleDelivery(id, { type: 'failed', error: 'HTTP 500\u0000', nextAt: later })
        expect(await store.dueDeliveries(start, 10)).toEqual([])
        expect(await store.dueDeliveries(later, 10)).toMatchObject([
          { id, attempts: 1, lastError: 'HTTP 500\u0000', nextAt: later },
        ])
        await store.settleDelivery(id, { type: 'delivered' })
        expect(await store.dueDeliveries('2027-01-01T00:00:00.000Z', 10)).toEqual([])
      }))

    it('never brings back what was given up, also after it is forgotten', () =>
      withStore(open, async ({ store, clock }) => {
        const id = await enqueueOne(store)
        await store.settleDelivery(id, { type: 'given-up', error: 'HTTP 410' })
        clock.advance(week)
        await store.settleDelivery('dlv_unknown', { type: 'delivered' })
        await store.settleDelivery(id, { type: 'failed', error: 'late', nextAt: later })
        expect(await store.dueDeliveries('2027-01-01T00:00:00.000Z', 10)).toEqual([])
      }))
  })
}

async function enqueueOne(store: EventStore): Promise<string> {
  store.setWebhooks([{ id: 'pager', events: ['AgentThought'] }])
  await store.append(one, 0, [created(), thought('a')])
  const [delivery] = await store.dueDeliveries(start, 10)
  return delivery?.id ?? ''
}
