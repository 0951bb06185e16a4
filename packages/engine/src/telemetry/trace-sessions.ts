// Watches what the sessions of this process write and hands spans of it on, as each agent's file asks for. It only listens:
// whatever becomes of a span, the turn it tells of neither waits nor fails.
import type { AgentDefinition, EventOfType, SessionEvent, SessionId, SessionState } from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import type { GatewayDecisions, RequestName } from '../ports/model-gateway.ts'
import { providerName } from './provider-name.ts'
import { isSampled, traceIdOf } from './span.ts'
import { createSpanExporters, type SpanExporter } from './span-exporters.ts'
import { createTurnSpans, type TurnSpans } from './turn-spans.ts'

export interface TraceOptions {
  readonly loadAgent: (name: string) => Promise<AgentDefinition>
  /** Values of the headers that the agent's collector wants. */
  readonly headersOf: (name: string) => Promise<Readonly<Record<string, string>>>
  readonly clock: { now(): Date }
  readonly logger: Logger
}

export interface SessionTracer {
  /** Called with what is durable now. Never throws. */
  observe(state: SessionState, events: readonly SessionEvent[]): void
  /** The same decisions; when a request goes out is noted on the way. */
  watchRequests(decisions: GatewayDecisions): GatewayDecisions
  /** Hands on what waits, for a bounded time. */
  close(): Promise<void>
}

interface ObservedEvent {
  readonly event: SessionEvent
  readonly requestedAt: number | undefined
}

/** A turn that is watched, until its end; without `spans`, it is one that nobody wants to hear of. */
interface Watch {
  /** What happened before the agent's file was read; `null` from then on. */
  early: ObservedEvent[] | null
  /** What people said in this turn. */
  readonly userMessages: string[]
  spans: TurnSpans | null
  exporter: SpanExporter | null
}

type FirstEvent = EventOfType<'TurnStarted'> | EventOfType<'TurnEnded'>

export function traceSessions(options: TraceOptions): SessionTracer {
  const { loadAgent, headersOf, clock, logger } = options
  const watches = new Map<SessionId, Watch>()
  const beginning = new Set<Promise<void>>()
  const exporters = createSpanExporters({ logger })
  const requests = new Map<string, number>()

  /** Reads the agent's file, and tells the watch what it has missed. */
  async function begin(watch: Watch, state: SessionState, first: FirstEvent): Promise<void> {
    try {
      await open(watch, state, first)
    } catch (error) {
      logger.warn({ agent: state.agentName, error }, 'a turn is not traced: its agent cannot be read')
    }
    const early = watch.early ?? []
    watch.early = null
    for (const observed of early) addSpans(watch, observed)
    if (watches.get(state.sessionId) !== watch) leave(watch)
  }

  async function open(watch: Watch, { sessionId, agentName, model }: SessionState, first: FirstEvent): Promise<void> {
    const agent = await loadAgent(agentName)
    const { observability: settings } = agent
    const { turnId } = first
    if (settings === null || turnId === undefined || !isSampled(traceIdOf(turnId), settings.sampleRate)) return
    const headers = settings.otlp === null ? {} : await headersOf(agentName)
    watch.exporter = exporters.take({ agentName, settings, headers })
    watch.spans = createTurnSpans({
      turnId,
      sessionId,
      agentName,
      startedAt: startOf(first),
      provider: providerName(agent),
      model: first.type === 'TurnStarted' ? first.data.model : model,
      userMessages: settings.capturesContent ? watch.userMessages : null,
    })
  }

  function addSpans(watch: Watch, { event, requestedAt }: ObservedEvent): void {
    for (const span of watch.spans?.observe(event, requestedAt) ?? []) watch.exporter?.add(span)
    if (event.type === 'TurnEnded') leave(watch)
  }

  function leave(watch: Watch): void {
    watch.exporter?.release()
    watch.exporter = null
    watch.spans = null
  }

  function watchFrom(state: SessionState, first: FirstEvent): void {
    const earlier = watches.get(state.sessionId)
    if (earlier !== undefined) leave(earlier)
    const watch: Watch = { early: [], userMessages: [], spans: null, exporter: null }
    watches.set(state.sessionId, watch)
    const begun = begin(watch, state, first).finally(() => beginning.delete(begun))
    beginning.add(begun)
  }

  function observeOne(state: SessionState, event: SessionEvent): void {
    const { sessionId } = state
    // One that an earlier process left in the middle ends here without having begun.
    const isFirst = event.type === 'TurnStarted' || (event.type === 'TurnEnded' && !watches.has(sessionId))
    if (isFirst) watchFrom(state, event)
    const watch = watches.get(sessionId)
    if (watch === undefined) return
    if (event.type === 'UserMessageDelivered') watch.userMessages.push(...textsOf(state, event.data.messageId))
    const requestedAt = event.type === 'UsageRecorded' ? requests.get(nameOf({ sessionId, ...event.data })) : undefined
    if (watch.early !== null) watch.early.push({ event, requestedAt })
    else addSpans(watch, { event, requestedAt })
    if (event.type === 'TurnEnded') watches.delete(sessionId)
  }

  return {
    observe(state, events) {
      for (const event of events) observeOne(state, event)
    },
    watchRequests: (decisions) => ({
      ...decisions,
      async authorize(request, signal) {
        const verdict = await decisions.authorize(request, signal)
        if (verdict.type === 'go') requests.set(nameOf(request), clock.now().getTime())
        return verdict
      },
      async settle(use) {
        try {
          await decisions.settle(use)
        } finally {
          requests.delete(nameOf(use))
        }
      },
      async release(request) {
        requests.delete(nameOf(request))
        await decisions.release(request)
      },
    }),
    async close() {
      await Promise.all(beginning)
      await exporters.close()
    },
  }
}

const nameOf = ({ sessionId, requestId }: RequestName): string => `${sessionId} ${requestId}`

/** Of a message that was handed over just now: as it stands then, whatever became of it while it waited. */
const textsOf = ({ turn, steered }: SessionState, messageId: string): readonly string[] =>
  [...(turn?.opening == null ? [] : [turn.opening]), ...steered]
    .filter((message) => message.messageId === messageId)
    .map(({ content }) => content)

function startOf(event: FirstEvent): number {
  const at = Date.parse(event.at)
  return event.type === 'TurnEnded' ? at - event.data.durationMs : at
}
