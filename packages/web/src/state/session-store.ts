import {
  type Client,
  type ConnectionStatus,
  isClosedStatus,
  isDurable,
  type QuarterdeckError,
  type SessionId,
  type SessionSnapshot,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { createCell, type Store } from './cell.ts'
import { failureOf } from './failure.ts'
import { createFrameQueue, type Schedule } from './frame-queue.ts'
import { beginStory, type SessionStory, tellStory } from './session-story.ts'

export interface SessionView {
  /** `null` until the first snapshot is there. */
  readonly story: SessionStory | null
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
export const nothingYet: SessionView = {
  story: null,
  connection: 'connecting',
  failure: null,
  isReplaying: true,
  away: null,
}

/** Reads the snapshot, replays the log and follows it until disposed of. */
export function createSessionStore({ client, sessionId, ...options }: SessionStoreOptions): SessionStore {
  const cell = createCell<SessionView>(nothingYet)
  const leaving = new AbortController()
  const queue = createFrameQueue<StreamedEvent>(fold, options.schedule)
  let replayUntil = 0
  let droppedAt: number | null = null
  let attempt = new AbortController()
  const forget = options.onServerBack?.(() => {
    if (cell.getSnapshot().connection === 'reconnecting') attempt.abort()
  })

  function fold(events: readonly StreamedEvent[]): void {
    const { story, isReplaying } = cell.getSnapshot()
    if (story === null) return
    const next = tellStory(story, events)
    cell.update({ story: next, isReplaying: isReplaying && next.seq < replayUntil })
  }

  function onStatus(connection: ConnectionStatus): void {
    queue.flush()
    const before = cell.getSnapshot()
    if (connection === 'reconnecting') droppedAt ??= before.story?.seq ?? null
    if (connection === 'live' && droppedAt !== null) {
      void lookBack(droppedAt)
      droppedAt = null
    }
    cell.update({ connection })
  }

  async function lookBack(afterSeq: number): Promise<void> {
    // Without it the line about the time away is missing, and nothing else: the stream brings the events themselves.
    const snapshot = await client.getSession(sessionId).catch(() => null)
    if (snapshot === null || leaving.signal.aborted) return
    // That it moved on in the line may have been told to nobody.
    const { story } = cell.getSnapshot()
    if (story !== null) cell.update({ story: { ...story, moment: { ...story.moment, place: snapshot.place } } })
    const events = snapshot.session.seq - afterSeq
    const { approvals, questions } = snapshot.session
    const asks = [...approvals, ...questions].filter((ask) => ask.seq > afterSeq).length
    if (events > 0) cell.update({ away: { afterSeq, events, asks } })
  }

  async function follow(): Promise<void> {
    const snapshot = await firstSnapshot()
    if (snapshot === null) return
    replayUntil = snapshot.session.seq
    wake(snapshot)
    cell.update({ story: beginStory(snapshot), isReplaying: replayUntil > 0 })
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
        cell.update({ connection: 'reconnecting' })
        await new Promise((resolve) => setTimeout(resolve, 1000))
        if (leaving.signal.aborted) return null
      }
    }
  }

  follow().catch((error: unknown) => {
    queue.flush()
    if (!leaving.signal.aborted) cell.update({ failure: failureOf(error), isReplaying: false })
  })

  return {
    getSnapshot: cell.getSnapshot,
    subscribe: cell.subscribe,
    dispose() {
      forget?.()
      leaving.abort()
      queue.dispose()
    },
  }
}
