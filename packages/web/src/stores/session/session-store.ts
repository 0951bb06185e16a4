import type { Client, ConnectionStatus } from '@quarterdeck/client'
import {
  isClosedStatus,
  isDurable,
  type QuarterdeckError,
  type SessionId,
  type SessionSnapshot,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { createAnimationFrameQueue, type Schedule } from '../primitives/animation-frame-queue.ts'
import { failureOf } from '../primitives/failure.ts'
import { createStore, type Store } from '../primitives/store.ts'
import { beginProjection, foldProjection, type SessionProjection } from './session-projection.ts'

export interface SessionView {
  /** `null` until the first snapshot is there. */
  readonly projection: SessionProjection | null
  readonly connection: ConnectionStatus
  /** Why there is nothing (more) to show. */
  readonly failure: QuarterdeckError | null
  /** True until everything that had happened when the page opened is shown. */
  readonly isReplaying: boolean
  readonly away: Away | null
}

/** What happened while the connection was gone: everything after `afterSeq`. */
export interface Away {
  readonly afterSeq: number
  readonly events: number
  /** Approvals and questions among them that still wait. */
  readonly asks: number
}

export interface SessionStore extends Store<SessionView> {
  dispose(): void
}

export interface SessionStoreOptions {
  readonly client: Client
  readonly sessionId: SessionId
  readonly schedule?: Schedule
  /** Calls back when the server is known to answer again: a stream that waits for its next try then tries at once. */
  readonly onServerBack?: (listener: () => void) => () => void
}

/** Before the first answer. */
export const emptySessionView: SessionView = {
  projection: null,
  connection: 'connecting',
  failure: null,
  isReplaying: true,
  away: null,
}

/** Reads the snapshot, replays the log and follows it until disposed of. */
export function createSessionStore({ client, sessionId, ...options }: SessionStoreOptions): SessionStore {
  const store = createStore<SessionView>(emptySessionView)
  const leaving = new AbortController()
  const queue = createAnimationFrameQueue<StreamedEvent>(fold, options.schedule)
  let replayUntil = 0
  let droppedAt: number | null = null
  let attempt = new AbortController()
  const forget = options.onServerBack?.(() => {
    if (store.getSnapshot().connection === 'reconnecting') attempt.abort()
  })

  function fold(events: readonly StreamedEvent[]): void {
    const { projection, isReplaying } = store.getSnapshot()
    if (projection === null) return
    const next = foldProjection(projection, events)
    store.update({ projection: next, isReplaying: isReplaying && next.seq < replayUntil })
  }

  function onStatus(connection: ConnectionStatus): void {
    queue.flush()
    const before = store.getSnapshot()
    if (connection === 'reconnecting') droppedAt ??= before.projection?.seq ?? null
    if (connection === 'live' && droppedAt !== null) {
      void readWhileAway(droppedAt)
      droppedAt = null
    }
    store.update({ connection })
  }

  async function readWhileAway(afterSeq: number): Promise<void> {
    // Without it the line about the time away is missing, and nothing else: the stream brings the events themselves.
    const snapshot = await client.getSession(sessionId).catch(() => null)
    if (snapshot === null || leaving.signal.aborted) return
    // That it moved on in the line may have been told to nobody.
    const { projection } = store.getSnapshot()
    if (projection !== null)
      store.update({
        projection: { ...projection, transient: { ...projection.transient, queuePosition: snapshot.queuePosition } },
      })
    const events = snapshot.session.seq - afterSeq
    const { approvals, questions } = snapshot.session
    const asks = [...approvals, ...questions].filter((ask) => ask.seq > afterSeq).length
    if (events > 0) store.update({ away: { afterSeq, events, asks } })
  }

  async function follow(): Promise<void> {
    const snapshot = await firstSnapshot()
    if (snapshot === null) return
    replayUntil = snapshot.session.seq
    wake(snapshot)
    store.update({ projection: beginProjection(snapshot), isReplaying: replayUntil > 0 })
    let after = 0
    while (!leaving.signal.aborted) {
      attempt = new AbortController()
      const signal = AbortSignal.any([leaving.signal, attempt.signal])
      for await (const event of client.follow(sessionId, { after, signal, onStatus })) {
        queue.push(event)
        if (!isDurable(event)) continue
        after = event.seq
        // The texts in progress belong right after the last event the snapshot knew.
        if (event.seq === replayUntil) for (const text of snapshot.openTexts) queue.push(text)
      }
    }
  }

  /** Whoever opens a session is about to write: its process may start now. Once, and without it nothing is lost. */
  function wake({ session }: SessionSnapshot): void {
    if (session.isHibernated && !isClosedStatus(session.status)) client.wake(sessionId).catch(() => undefined)
  }

  /** Waits out a server that is not there; any other answer is final. */
  async function firstSnapshot(): Promise<SessionSnapshot | null> {
    for (;;) {
      try {
        return await client.getSession(sessionId)
      } catch (error) {
        const failure = failureOf(error)
        if (leaving.signal.aborted) return null
        if (failure.code !== 'server.unreachable' && failure.code !== 'server.draining') throw failure
        store.update({ connection: 'reconnecting' })
        await new Promise((resolve) => setTimeout(resolve, 1000))
        if (leaving.signal.aborted) return null
      }
    }
  }

  follow().catch((error: unknown) => {
    queue.flush()
    if (!leaving.signal.aborted) store.update({ failure: failureOf(error), isReplaying: false })
  })

  return {
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    dispose() {
      forget?.()
      leaving.abort()
      queue.dispose()
    },
  }
}
