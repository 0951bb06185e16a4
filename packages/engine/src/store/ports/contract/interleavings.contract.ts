// Several writers on several sessions in a seeded random order: log and rows must always agree.
import { type EventDraft, foldSession, isQuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { yieldToEventLoop } from '../../../async/yield-to-event-loop.ts'
import type { EventStore } from '../event-store.ts'
import type { LoggedEvent } from '../streams.ts'
import {
  approvalDecided,
  approvalRequested,
  created,
  type OpenStore,
  readWholeLog,
  sessionId,
  statusChanged,
  thought,
  usage,
  withStore,
} from './store-harness.contract.ts'

const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const sessions = [sessionId(1), sessionId(2), sessionId(3)]

export function describeInterleavings(open: OpenStore): void {
  describe('any interleaving of writers', () => {
    it.each(seeds)('yields logs without gaps that fold to the stored states (seed %i)', (seed) =>
      withStore(open, async ({ store, clock, reopen }) => {
        const random = createRandom(seed)
        const tick = () => clock.advance(random(3))
        const writers = Array.from({ length: 9 }, (_, index) => {
          const session = sessions[index % sessions.length] ?? sessionId(1)
          return write(store, session, { name: `${seed}${index}`, random, tick })
        })
        const reader = readWhile(store, Promise.all(writers), 1 + random(9))
        const acknowledged = (await Promise.all(writers)).flat()
        const seen = await reader
        const now = random(2) === 0 ? store : ((await reopen?.()) ?? store)
        for (const session of sessions) await checkSession(now, session, 1 + random(9))
        const logs = await Promise.all(sessions.map((session) => readWholeLog(now, session)))
        expect(logs.flatMap((log) => log.map((event) => event.id)).sort()).toEqual(acknowledged.sort())
        // A reader during the writes has seen the same order as one after them: nothing appeared behind it.
        expect(seen).toEqual((await now.readAll({ after: 0, limit: 1000 })).events)
        for (const session of sessions) {
          const ofSession = seen.filter(({ stream }) => stream.id === session).map(({ event }) => event)
          expect(ofSession).toEqual(await readWholeLog(now, session))
        }
      }),
    )
  })
}

/** Reads all streams from the first position on, page by page, until the writers have ended and nothing is left. */
async function readWhile(store: EventStore, writing: Promise<unknown>, limit: number): Promise<LoggedEvent[]> {
  let isOver = false
  void writing.finally(() => {
    isOver = true
  })
  const seen: LoggedEvent[] = []
  for (let after = 0; ; ) {
    const isLast = isOver
    const { events, next } = await store.readAll({ after, limit })
    seen.push(...events)
    if (isLast && events.length === 0) return seen
    after = next
    await yieldToEventLoop()
  }
}

interface Writer {
  readonly name: string
  readonly random: (below: number) => number
  readonly tick: () => void
}

/** Appends some batches, and retries after reading when another writer was faster. Returns the ids it was given. */
async function write(store: EventStore, session: SessionId, { name, random, tick }: Writer): Promise<string[]> {
  const acknowledged: string[] = []
  for (let batch = 0; batch < 6; batch++) {
    const drafts = batchOf(`${name}${batch}`, random)
    for (let isWritten = false; !isWritten; ) {
      const seq = (await store.load(session))?.seq ?? 0
      for (let pause = random(4); pause > 0; pause--) await Promise.resolve()
      tick()
      try {
        const events = await store.append(session, seq, seq === 0 ? [created(), ...drafts] : drafts)
        acknowledged.push(...events.map((event) => event.id))
        isWritten = true
      } catch (error) {
        if (!isQuarterdeckError(error, 'store.conflict')) throw error
      }
    }
  }
  return acknowledged
}

function batchOf(name: string, random: Writer['random']): EventDraft[] {
  const choices: readonly (() => EventDraft[])[] = [
    () => [thought(`says ${name}`)],
    () => [usage(`message ${random(12)}`, random(3) === 0 ? null : random(100) / 8)],
    () => [approvalRequested(name)],
    () => [approvalRequested(`${name}9`), thought('decides at once'), approvalDecided(`${name}9`)],
    () => [statusChanged('idle', random(2) === 0 ? 'running' : 'idle'), usage(`message ${random(12)}`)],
  ]
  return choices[random(choices.length)]?.() ?? []
}

async function checkSession(store: EventStore, session: SessionId, pageSize: number): Promise<void> {
  const log = await readWholeLog(store, session, pageSize)
  expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1))
  const state = foldSession(null, log)
  expect(await store.load(session)).toEqual(state)
  const booked = log.flatMap((event) => (event.type === 'UsageRecorded' ? [event.data.apiMessageId] : []))
  expect(new Set(booked).size).toBe(booked.length)
  expect((await store.ledger(session)).map((row) => row.apiMessageId)).toEqual(booked)
  const isWaiting = (await store.listWaiting()).some((waiting) => waiting.sessionId === session)
  expect(isWaiting).toBe((state?.approvals.length ?? 0) > 0)
  const { sessions: found } = await store.list({ status: state?.status ?? 'failed' }, { limit: 10 })
  expect(found).toContainEqual(state)
}

/** mulberry32: small, seeded, the same everywhere. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
