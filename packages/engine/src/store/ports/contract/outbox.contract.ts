import { describe, expect, it } from 'vitest'
import type { EventStore } from '../event-store.ts'
import { approvalRequested, created, type OpenStore, sessionId, thought, withStore } from './store-harness.contract.ts'

const one = sessionId(1)
const start = '2026-05-04T10:00:00.000Z'
const later = '2026-05-04T10:00:05.000Z'
const week = 7 * 24 * 60 * 60 * 1000

export function describeOutbox(open: OpenStore): void {
  describe('outbox', () => {
    it('has a delivery per webhook and matching event, and none for a refused append', () =>
      withStore(open, async ({ store, reopen }) => {
        await store.append(one, 0, [created()])
        store.setWebhooks([
          { id: 'pager', events: ['ApprovalRequested'] },
          { id: 'log', events: ['ApprovalRequested', 'AgentThought'] },
        ])
        await store.append(one, 1, [thought('a'), approvalRequested(1)])
        await expect(store.append(one, 1, [approvalRequested(2)])).rejects.toThrow()
        const now = (await reopen?.()) ?? store
        const due = [...(await now.dueDeliveries('log', start, 10)), ...(await now.dueDeliveries('pager', start, 10))]
        expect(due.map((delivery) => `${delivery.webhookId} ${delivery.seq} ${delivery.type}`).sort()).toEqual([
          'log 2 AgentThought',
          'log 3 ApprovalRequested',
          'pager 3 ApprovalRequested',
        ])
        expect(due[0]).toMatchObject({ sessionId: one, at: start, attempts: 0, nextAt: start, lastError: null })
        expect(new Set(due.map((delivery) => delivery.id)).size).toBe(3)
        expect(await now.dueDeliveries('log', '2026-05-04T09:59:59.999Z', 10)).toEqual([])
        expect(await now.dueDeliveries('log', start, 1)).toHaveLength(1)
      }))

    it('returns a failed delivery when it is due, with its error', () =>
      withStore(open, async ({ store }) => {
        const id = await enqueueOne(store)
        await store.settleDelivery(id, { type: 'failed', error: 'HTTP 500\u0000', nextAt: later })
        expect(await store.dueDeliveries('pager', start, 10)).toEqual([])
        expect(await store.dueDeliveries('pager', later, 10)).toMatchObject([
          { id, attempts: 1, lastError: 'HTTP 500\u0000', nextAt: later },
        ])
        await store.settleDelivery(id, { type: 'delivered' })
        expect(await store.dueDeliveries('pager', '2027-01-01T00:00:00.000Z', 10)).toEqual([])
      }))

    it('returns the longest due of a webhook first, even if another webhook has many waiting', () =>
      withStore(open, async ({ store, clock }) => {
        store.setWebhooks([{ id: 'dead', events: ['AgentThought'] }])
        await store.append(one, 0, [created(), ...Array.from({ length: 300 }, () => thought('a'))])
        store.setWebhooks([{ id: 'pager', events: ['AgentThought'] }])
        clock.advance(1000)
        await store.append(one, 301, [thought('b'), thought('c')])
        clock.advance(1000)
        await store.append(one, 303, [thought('d')])
        const seqs = async (limit: number) =>
          (await store.dueDeliveries('pager', later, limit)).map((delivery) => delivery.seq)
        expect((await seqs(10)).slice(0, 2).sort()).toEqual([302, 303])
        expect((await seqs(10)).slice(2)).toEqual([304])
        expect(await seqs(1)).toHaveLength(1)
        expect(await store.dueDeliveries('dead', later, 250)).toHaveLength(250)
      }))

    it('abandons the deliveries of removed webhooks and no others', () =>
      withStore(open, async ({ store }) => {
        store.setWebhooks(['gone', 'pager', 'log'].map((id) => ({ id, events: ['AgentThought'] })))
        await store.append(one, 0, [created(), thought('a')])
        await store.abandonOthers(['pager', 'log'], 'gone')
        const left = await Promise.all(['gone', 'pager', 'log'].map((id) => store.dueDeliveries(id, later, 10)))
        expect(left.map((due) => due.length)).toEqual([0, 1, 1])
      }))

    it('never returns an abandoned delivery, even after it was purged', () =>
      withStore(open, async ({ store, clock }) => {
        const id = await enqueueOne(store)
        await store.settleDelivery(id, { type: 'given-up', error: 'HTTP 410' })
        clock.advance(week)
        await store.settleDelivery('dlv_unknown', { type: 'delivered' })
        await store.settleDelivery(id, { type: 'failed', error: 'late', nextAt: later })
        expect(await store.dueDeliveries('pager', '2027-01-01T00:00:00.000Z', 10)).toEqual([])
      }))
  })
}

async function enqueueOne(store: EventStore): Promise<string> {
  store.setWebhooks([{ id: 'pager', events: ['AgentThought'] }])
  await store.append(one, 0, [created(), thought('a')])
  const [delivery] = await store.dueDeliveries('pager', start, 10)
  return delivery?.id ?? ''
}
