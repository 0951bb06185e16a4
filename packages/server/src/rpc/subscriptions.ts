// The sessions that one connection follows. Each adapts to the pace of the connection, and all share it fairly.
import type { Logger } from '@quarterdeck/engine'
import {
  isDurable,
  isQuarterdeckError,
  parseInput,
  QuarterdeckError,
  requirePathId,
  type SessionId,
  SessionSnapshot,
  type SessionState,
  SubscribeParams,
  UnsubscribeParams,
} from '@quarterdeck/protocol'
import { serializeOnce } from '../transports/serialize-once.ts'
import { createPacedSink } from './paced-sink.ts'
import type { RpcParams } from './read-message.ts'
import type { RpcHost } from './rpc-host.ts'
import type { SessionAsks } from './session-asks.ts'
import type { SharedConnection } from './share-connection.ts'

/** Each is a listener of its session. */
const maxSubscriptions = 1000

export interface SubscriptionsDeps {
  readonly host: RpcHost
  readonly connection: SharedConnection
  readonly logger: Logger
  readonly asksOf: (session: SessionState, params: SubscribeParams) => SessionAsks
  readonly signal: AbortSignal
}

export type Subscriptions = ReturnType<typeof createSubscriptions>

export function createSubscriptions(deps: SubscriptionsDeps) {
  const open = new Map<SessionId, Subscription>()
  const running = new Set<Promise<void>>()

  function stop(sessionId: SessionId): void {
    open.get(sessionId)?.stop()
    open.delete(sessionId)
  }

  return {
    /** Sends nothing before `start`, so that the answer goes first. */
    async subscribe(params: RpcParams): Promise<{ result: unknown; start: () => void }> {
      refuseMalformedId(params)
      const asked = parseInput(SubscribeParams, params, 'params')
      const { sessionId, after } = asked
      const { session } = SessionSnapshot.parse(await deps.host.call('session.get', { sessionId }, deps.signal))
      requireReached(session, after)
      stop(sessionId)
      if (open.size >= maxSubscriptions) throw tooMany()
      const subscription = createSubscription(deps, { sessionId, after, asks: deps.asksOf(session, asked) })
      open.set(sessionId, subscription)
      const start = () => {
        const run = subscription.run().finally(() => {
          running.delete(run)
          if (open.get(sessionId) === subscription) open.delete(sessionId)
        })
        running.add(run)
      }
      return { result: { sessionId, after }, start }
    },
    unsubscribe(params: RpcParams): unknown {
      refuseMalformedId(params)
      const { sessionId } = parseInput(UnsubscribeParams, params, 'params')
      stop(sessionId)
      return { sessionId }
    },
    /** Resolves when every event now in the log has been sent to its subscriber. */
    async delivered() {
      await Promise.all([...open.values()].map((subscription) => subscription.delivered()))
    },
    /** Resolves when no subscription reads from its host any more. */
    async close() {
      for (const sessionId of [...open.keys()]) stop(sessionId)
      await Promise.all(running)
    },
  }
}

type Subscription = ReturnType<typeof createSubscription>

interface SubscriptionFrom {
  readonly sessionId: SessionId
  readonly after: number
  readonly asks: SessionAsks
}

function createSubscription({ host, connection, logger }: SubscriptionsDeps, from: SubscriptionFrom) {
  const { sessionId, after, asks } = from
  const stopped = new AbortController()
  const { signal } = stopped
  let sent = after
  const waiting = new Set<() => void>()
  const wakeWaiting = () => {
    for (const wake of waiting) wake()
    waiting.clear()
  }
  signal.addEventListener('abort', wakeWaiting)
  const sink = createPacedSink({
    textsOf: (events) => notificationsOf(events, sessionId),
    onSent(events) {
      asks.follow(events)
      sent = events.findLast(isDurable)?.seq ?? sent
      wakeWaiting()
    },
    connection,
    signal,
  })

  function stop(): void {
    if (signal.aborted) return
    stopped.abort()
    asks.stop()
  }

  /** `null` for a session that cannot be read: no further events arrive. */
  const lastSeq = (): Promise<number | null> =>
    host.call('session.get', { sessionId }, signal).then(
      (snapshot) => SessionSnapshot.parse(snapshot).session.seq,
      () => null,
    )

  return {
    stop,
    async delivered() {
      const last = (await lastSeq()) ?? sent
      while (!signal.aborted && sent < last) {
        await new Promise<void>((resolve) => waiting.add(resolve))
      }
    },
    /** Runs until it is stopped or its events end. */
    async run() {
      if (signal.aborted) return
      asks.start()
      try {
        await host.feed({ sessionId, after, signal }, sink)
      } catch (error) {
        if (signal.aborted) return
        if (!isQuarterdeckError(error)) logger.error({ sessionId, error }, 'the events of a session could not be read')
        connection.send(
          JSON.stringify({ jsonrpc: '2.0', method: 'session.ended', params: { sessionId, ...reasonOf(error) } }),
        )
      } finally {
        stop()
      }
    },
  }
}

/** One `session.event` notification per event. */
const notificationsOf = serializeOnce((events, sessionId: SessionId): readonly string[] =>
  events.map((event) => JSON.stringify({ jsonrpc: '2.0', method: 'session.event', params: { sessionId, event } })),
)

const reasonOf = (error: unknown) =>
  isQuarterdeckError(error)
    ? { code: error.code, message: error.message }
    : { code: 'internal', message: 'the events could not be read' }

/** A malformed id gets the same error as an unknown one, as in the path of an operation. */
function refuseMalformedId({ sessionId }: RpcParams): void {
  if (typeof sessionId === 'string') requirePathId('sessionId', sessionId)
}

function requireReached(session: SessionState, after: number): void {
  if (after <= session.seq) return
  const detail = `the log ends at ${session.seq}: start again from session.get`
  throw new QuarterdeckError('cursor.beyond-log', detail, { facts: { lastSeq: session.seq } })
}

const tooMany = () =>
  new QuarterdeckError(
    'request.invalid',
    `a connection can follow at most ${maxSubscriptions} sessions: unsubscribe some`,
  )
