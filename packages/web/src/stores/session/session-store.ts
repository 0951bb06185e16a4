import type { Client, ConnectionStatus } from '@quarterdeck/client'
import {
  isClosedStatus,
  isDurable,
  type QuarterdeckError,
  type SessionId,
  type SessionSnapshot,
  type StreamedEvent,
  sleep,
} from '@quarterdeck/protocol'
import { createAnimationFrameQueue, type Schedule } from '../primitives/animation-frame-queue.ts'
import { failureOf } from '../primitives/failure.ts'
import { createStore } from '../primitives/store.ts'
import { beginProjection, foldProjection, type SessionProjection } from './session-projection.ts'

export interface SessionView {
  /** `null` until the first snapshot is loaded. */
  readonly projection: SessionProjection | null
  readonly connection: ConnectionStatus
  /** Why the page cannot show or follow the session. */
  readonly failure: QuarterdeckError | null
  /** True until all events that existed when the page opened are shown. */
  readonly isReplaying: boolean
  readonly away: Away | null
}

/** The events missed during a disconnection: all after `afterSeq`. */
export interface Away {
  readonly afterSeq: number
  readonly events: number
  /** Open approvals and questions among them. */
  readonly asks: number
}

export type SessionStore = ReturnType<typeof createSessionStore>

export interface SessionStoreOptions {
  readonly client: Client
  readonly sessionId: SessionId
  readonly schedule?: Schedule
  /** Subscribes to the return of the server. A waiting stream then reconnects at once. */
  readonly onServerBack?: (listener: () => void) => () => void
}

export const emptySessionView: SessionView = {
  projection: null,
  connection: 'connecting',
  failure: null,
  isReplaying: true,
  away: null,
}

/** Reads the snapshot, replays the log and follows it until disposed. */
export function createSessionStore({ client, sessionId, ...options }: SessionStoreOptions) {
  const store = createStore<SessionView>(emptySessionView)
  const controller = new AbortController()
  const queue = createAnimationFrameQueue<StreamedEvent>(fold, options.schedule)
  let replayUntil = 0
  let droppedAt: number | null = null
  let attempt = new AbortController()
  const unsubscribe = options.onServerBack?.(() => {
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
    // If this fails, only the line about missed events is missing: the stream delivers the events.
    const snapshot = await client.getSession(sessionId).catch(() => null)
    if (snapshot === null || controller.signal.aborted) return
    // Queue positions are not in the log, so a change may have been missed.
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
    while (!controller.signal.aborted) {
      attempt = new AbortController()
      const signal = AbortSignal.any([controller.signal, attempt.signal])
      for await (const event of client.follow(sessionId, { after, signal, onStatus })) {
        queue.push(event)
        if (!isDurable(event)) continue
        after = event.seq
        // Texts in progress follow the last event of the snapshot.
        if (event.seq === replayUntil) for (const text of snapshot.openTexts) queue.push(text)
      }
    }
  }

  /** A user who opens a session will probably write, so its process starts now. A failure costs only time. */
  function wake({ session }: SessionSnapshot): void {
    if (session.isHibernated && !isClosedStatus(session.status)) client.wake(sessionId).catch(() => undefined)
  }

  /** Retries while the server is unreachable. Any other error is final. */
  async function firstSnapshot(): Promise<SessionSnapshot | null> {
    for (;;) {
      try {
        return await client.getSession(sessionId)
      } catch (error) {
        const failure = failureOf(error)
        if (controller.signal.aborted) return null
        if (failure.code !== 'server.unreachable' && failure.code !== 'server.draining') throw failure
        store.update({ connection: 'reconnecting' })
        await sleep(1000, controller.signal)
        if (controller.signal.aborted) return null
      }
    }
  }

  follow().catch((error: unknown) => {
    queue.flush()
    if (!controller.signal.aborted) store.update({ failure: failureOf(error), isReplaying: false })
  })

  return {
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    dispose() {
      unsubscribe?.()
      controller.abort()
      queue.dispose()
    },
  }
}
