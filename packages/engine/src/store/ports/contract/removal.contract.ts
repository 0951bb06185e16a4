import { describe, expect, it } from 'vitest'
import type { Holder } from '../event-store.ts'
import {
  approvalId,
  approvalRequested,
  created,
  type OpenStore,
  sessionId,
  snapshot,
  thought,
  usage,
  withStore,
} from './store-harness.contract.ts'

const one = sessionId(1)
const other = sessionId(2)
const holder: Holder = { id: 'h', role: 'server', pid: 1, startTime: 'x', address: null }
const text = { text: 'so far', messageId: 'msg_9', kind: 'text' } as const

export function describeRemoval(open: OpenStore): void {
  describe('deletion', () => {
    it('leaves only the costs of a session and does not touch others', () =>
      withStore(open, async ({ store, reopen }) => {
        store.setWebhooks([{ id: 'w', events: ['AgentThought'] }])
        for (const [session, seed, ask] of [[one, 'seed a', 1] as const, [other, 'seed b', 2] as const]) {
          const drafts = [approvalRequested(ask), usage('m1'), thought('x')]
          await store.append(session, 0, [created({ tags: ['t'], seed }), ...drafts])
          await store.saveOpenText(session, snapshot(text.messageId, text.text))
          await store.addToOpenTexts([{ sessionId: session, ...text }])
          await store.lease(session, holder, () => true)
        }
        expect(await store.remove(one, 'ada')).toBe(true)
        expect(await store.remove(one, 'ada')).toBe(false)
        const now = (await reopen?.()) ?? store
        expect([await now.load(one), await now.read(one, 0, 10), await now.openTexts(one)]).toEqual([null, [], []])
        expect([await now.findAsk(approvalId(1)), await now.findSeed('seed a'), await now.holderOf(one)]).toEqual([
          ...[null, null, null],
        ])
        expect((await now.dueDeliveries('w', '2027-01-01T00:00:00.000Z', 10)).map((due) => due.sessionId)).toEqual([
          other,
        ])
        expect((await now.listWaiting()).map((state) => state.sessionId)).toEqual([other])
        for (const filter of [{}, { tag: 't' }, { status: 'idle' }] as const) {
          expect((await now.list(filter, { limit: 10 })).sessions.map((state) => state.sessionId)).toEqual([other])
        }
        expect(await now.openTexts(other)).toMatchObject([{ data: { text: `${text.text}${text.text}` } }])
        expect(await now.ledger(one)).toHaveLength(1)
        expect((await now.usage({ groupBy: ['session'] })).map((row) => row.group.session)).toEqual([one, other])
        expect(await now.read(other, 0, 10)).toHaveLength(4)
        expect(await now.findSeed('seed b')).toBe(other)
      }))

    it('refuses a writer that does not know about it', () =>
      withStore(open, async ({ store }) => {
        await store.append(one, 0, [created()])
        await store.remove(one, 'ada')
        await expect(store.append(one, 1, [thought('late')])).rejects.toMatchObject({ code: 'store.conflict' })
        await expect(store.append(one, 0, [thought('late')])).rejects.toMatchObject({ code: 'session.not-found' })
        expect(await store.load(one)).toBeNull()
      }))
  })
}
