// Observes the events that sessions of this process write and exports spans as each agent file configures. It only
// observes: a failed export never delays or fails a turn.
import type {
  AgentDefinition,
  EventOfType,
  GatewayDecisions,
  RequestName,
  SessionEvent,
  SessionId,
  SessionState,
} from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import { isSampled, traceIdOf } from './span.ts'
import { createSpanExporters, type SpanExporter } from './span-exporters.ts'
import { createTurnSpans, type TurnSpans } from './turn-spans.ts'

export interface TraceOptions {
  readonly loadAgent: (name: string) => Promise<AgentDefinition>
  /** Values of the headers of the agent's collector. */
  readonly headersOf: (name: string) => Promise<Readonly<Record<string, string>>>
  readonly clock: { now(): Date }
  readonly logger: Logger
}

interface ObservedEvent {
  readonly event: SessionEvent
  readonly requestedAt: number | undefined
}

/** An observed turn until its end; without `spans` it is not exported. */
interface Watch {
  /** Events before the agent file was read; `null` from then on. */
  early: ObservedEvent[] | null
  /** The user messages of this turn. */
  readonly userMessages: string[]
  spans: TurnSpans | null
  exporter: SpanExporter | null
}

type FirstEvent = EventOfType<'TurnStarted'> | EventOfType<'TurnEnded'>

export function traceSessions(options: TraceOptions) {
  const { loadAgent, headersOf, clock, logger } = options
  const watches = new Map<SessionId, Watch>()
  const beginning = new Set<Promise<void>>()
  const exporters = createSpanExporters({ logger })
  const requests = new Map<string, number>()

  /** Reads the agent file, then processes the events received meanwhile. */
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
    // A turn that an earlier process left unfinished ends here without a start.
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
    /** Called with durable events. Never throws. */
    observe(state: SessionState, events: readonly SessionEvent[]) {
      for (const event of events) observeOne(state, event)
    },
    /** Wraps the decisions to record when each request is sent. */
    watchRequests: (decisions: GatewayDecisions): GatewayDecisions => ({
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
    /** Sends waiting spans, for a bounded time. */
    async close() {
      await Promise.all(beginning)
      await exporters.close()
    },
  }
}

const nameOf = ({ sessionId, requestId }: RequestName): string => `${sessionId} ${requestId}`

/** The texts of a delivered message, as they are at this moment. */
const textsOf = ({ turn, steered }: SessionState, messageId: string): readonly string[] =>
  [...(turn?.opening == null ? [] : [turn.opening]), ...steered]
    .filter((message) => message.messageId === messageId)
    .map(({ content }) => content)

function startOf(event: FirstEvent): number {
  const at = Date.parse(event.at)
  return event.type === 'TurnEnded' ? at - event.data.durationMs : at
}

/** Names from the OpenTelemetry semantic conventions where they define one. */
const providers = {
  anthropic: 'anthropic',
  openai: 'openai',
  azure_openai: 'azure.ai.openai',
  ollama: 'ollama',
} as const
const clouds: Readonly<Record<string, string>> = {
  bedrock: 'aws.bedrock',
  vertex: 'gcp.vertex_ai',
  foundry: 'azure.ai.inference',
}

function providerName({ model, modelSource }: AgentDefinition): string {
  if (modelSource === 'simulator' || model.provider === 'simulator') return 'simulator'
  return (model.provider === 'anthropic' ? clouds[model.authProvider] : undefined) ?? providers[model.provider]
}
