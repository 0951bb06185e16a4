import { draft, type EventDraft, isQuarterdeckError, SessionEvent, type TurnId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import {
  approvalRequested,
  created,
  type OpenStore,
  readWholeLog,
  sessionId,
  snapshot,
  thought,
  usage,
  withStore,
} from './store-harness.contract.ts'

const one = sessionId(1)
const other = sessionId(2)
const conflict = { code: 'store.conflict' }

export function describeAppends(open: OpenStore): void {
  describe('append', () => {
    describeNumbering(open)
    describeConflicts(open)
    describeAtomicity(open)
    describeExactness(open)
  })
}

function describeNumbering(open: OpenStore): void {
  it('numbers events from 1 without gaps per session and returns them as stored', () =>
    withStore(open, async ({ store, clock }) => {
      const first = await store.append(one, 0, [created(), thought('a')])
      await store.append(other, 0, [created()])
      clock.advance(1500)
      const turnId = 'trn_000001' as TurnId
      const inTurn = draft(
        'SubagentThought',
        { parentToolUseId: 't2', text: 'b', messageId: 'm' },
        { agent: ['t1', 't2'], turnId },
      )
      const second = await store.append(one, 2, [inTurn, thought('c')])
      expect([...first, ...second].map((event) => event.seq)).toEqual([1, 2, 3, 4])
      expect(second[0]).toMatchObject({ ...inTurn, sessionId: one, at: '2026-05-04T10:00:01.500Z', v: 1 })
      expect(await store.read(one, 0, 100)).toEqual([...first, ...second])
      for (const event of [...first, ...second]) expect(SessionEvent.parse(event)).toEqual(event)
      expect((await store.read(other, 0, 100)).map((event) => event.seq)).toEqual([1])
    }))

  it('reads a long log in pages without gaps', () =>
    withStore(open, async ({ store }) => {
      const texts = Array.from({ length: 25 }, (_, index) => `text ${index}`)
      await store.append(one, 0, [created(), ...texts.map((text) => thought(text))])
      expect((await store.read(one, 0, 10)).map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      expect((await store.read(one, 20, 10)).map((event) => event.seq)).toEqual([21, 22, 23, 24, 25, 26])
      expect(await store.read(one, 26, 10)).toEqual([])
      expect(await readWholeLog(store, one, 7)).toEqual(await store.read(one, 0, 100))
    }))

  it('returns nothing for an unknown session', () =>
    withStore(open, async ({ store }) => {
      expect(await store.read(one, 0, 10)).toEqual([])
      expect(await store.load(one)).toBeNull()
      await expect(store.append(one, 0, [thought('first')])).rejects.toMatchObject({ code: 'session.not-found' })
      expect(await store.load(one)).toBeNull()
    }))

  it('refuses a second creation event in the log of a session', () =>
    withStore(open, async ({ store }) => {
      await store.append(one, 0, [created(), thought('a')])
      await expect(store.append(one, 2, [created()])).rejects.toThrow('first event')
      await expect(store.append(other, 0, [created(), created()])).rejects.toThrow('first event')
      expect((await store.load(one))?.seq).toBe(2)
      expect(await store.load(other)).toBeNull()
    }))
}

function describeConflicts(open: OpenStore): void {
  it('refuses a writer that has not seen the last event, and writes nothing', () =>
    withStore(open, async ({ store }) => {
      await store.append(one, 0, [created(), thought('a')])
      const before = await store.load(one)
      for (const wrong of [0, 1, 3, 99]) {
        await expect(store.append(one, wrong, [thought('late'), usage('m')])).rejects.toMatchObject(conflict)
      }
      await expect(store.append(one, 0, [created()])).rejects.toMatchObject(conflict)
      await expect(store.append(other, 5, [created()])).rejects.toMatchObject(conflict)
      expect(await store.load(one)).toEqual(before)
      expect(await store.ledger(one)).toEqual([])
      expect((await store.append(one, 2, [thought('b')])).map((event) => event.seq)).toEqual([3])
    }))

  it('accepts one of two concurrent writers', () =>
    withStore(open, async ({ store }) => {
      await store.append(one, 0, [created()])
      const results = await Promise.allSettled(['a', 'b', 'c'].map((text) => store.append(one, 1, [thought(text)])))
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      expect(refused.map((error) => isQuarterdeckError(error, 'store.conflict'))).toEqual([true, true])
      expect(await store.read(one, 1, 10)).toHaveLength(1)
    }))

  it('accepts one of two writers that create the same session', () =>
    withStore(open, async ({ store }) => {
      const creations = ['ada', 'bob'].map((owner) => store.append(one, 0, [created({ owner })]))
      const results = await Promise.allSettled(creations)
      expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(await store.read(one, 0, 10)).toHaveLength(1)
    }))
}

function describeAtomicity(open: OpenStore): void {
  const failing: readonly (readonly [string, EventDraft])[] = [
    ['an approval that another session has asked for', approvalRequested('taken')],
    ['a value that is not JSON', draft('RawBackendMessage', { kind: 'odd', message: { size: 1n } })],
  ]
  it.each(failing)('writes nothing if one draft cannot be written: %s', (_, broken) =>
    withStore(open, async ({ store }) => {
      await store.append(other, 0, [created(), approvalRequested('taken')])
      await store.append(one, 0, [created()])
      await store.saveOpenText(one, snapshot('msg_1'))
      const before = await store.load(one)
      const drafts = [thought('before'), usage('msg_9'), approvalRequested('fine'), broken, thought('after')]
      await expect(store.append(one, 1, drafts)).rejects.toThrow()
      await expect(store.append(sessionId(3), 0, [created({ tags: ['x'] }), broken])).rejects.toThrow()
      expect(await store.load(one)).toEqual(before)
      expect(await store.read(one, 1, 10)).toEqual([])
      expect(await store.ledger(one)).toEqual([])
      expect(await store.openTexts(one)).toHaveLength(1)
      expect(await store.load(sessionId(3))).toBeNull()
      expect((await store.list({ tag: 'x' }, { limit: 10 })).sessions).toEqual([])
      expect((await store.listWaiting()).map((state) => state.sessionId)).toEqual([other])
      expect(await store.append(one, 1, [thought('good'), approvalRequested('fine')])).toHaveLength(2)
    }),
  )
}

function describeExactness(open: OpenStore): void {
  const payloads = {
    'NUL and control characters': 'a\u0000b\u0001\u001f\u007f\u2028\u2029\ufeff',
    'half of a surrogate pair': 'x\ud83d y \ude00',
    'emoji, right-to-left and combining marks': '👩‍👩‍👧‍👦 שלום é e\u0301 你好 \u202e',
    'quotes, question marks and SQL': `'; drop table events; -- ? ?1 $1 "x" \\ \\0`,
    'five megabytes': 'ä🙂x'.repeat(700_000),
    nothing: '',
  }
  it.each(Object.entries(payloads))('preserves every character: %s', (_, text) =>
    withStore(open, async ({ store, reopen }) => {
      const message = { [text.slice(0, 50)]: [text, { deep: [null, true, 1.5, -0.1, 1e21, text.slice(0, 10)] }] }
      const drafts = [thought(text), draft('RawBackendMessage', { kind: text.slice(0, 20), message })]
      await store.append(one, 0, [created({ title: text.slice(0, 100) }), ...drafts])
      const now = (await reopen?.()) ?? store
      const [event, raw] = await now.read(one, 1, 10)
      expect(event?.data).toEqual({ text, messageId: 'msg_1' })
      expect(raw?.data).toEqual({ kind: text.slice(0, 20), message })
      expect((await now.load(one))?.title).toBe(text.slice(0, 100))
    }),
  )

  it('is not affected by later changes to the caller’s drafts', () =>
    withStore(open, async ({ store }) => {
      const message = { answer: 'before' }
      await store.append(one, 0, [created(), draft('RawBackendMessage', { kind: 'k', message })])
      message.answer = 'after'
      expect((await store.read(one, 1, 1))[0]?.data).toEqual({ kind: 'k', message: { answer: 'before' } })
    }))

  it('keeps everything across a restart', ({ skip }) =>
    withStore(open, async ({ store, reopen }) => {
      if (reopen === undefined) return skip('this store keeps nothing')
      await store.append(one, 0, [created({ tags: ['kept'] }), usage('m1'), approvalRequested(1)])
      const [log, state, ledger] = [await store.read(one, 0, 10), await store.load(one), await store.ledger(one)]
      const again = await reopen()
      expect(await again.read(one, 0, 10)).toEqual(log)
      expect(await again.load(one)).toEqual(state)
      expect(await again.ledger(one)).toEqual(ledger)
      expect((await again.list({ tag: 'kept' }, { limit: 5 })).sessions).toEqual([state])
      expect(await again.append(one, 3, [thought('on'), usage('m1')])).toHaveLength(1)
    }))
}
