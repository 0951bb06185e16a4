// Watches what the sessions of this process write and hands spans of it on, as each agent's file asks for. It only listens:
// whatever becomes of a span, the turn it tells of neither waits nor fails.
import type { AgentDefinition, SessionEvent, SessionId, SessionState, TraceSettings } from '@quarterdeck/protocol'
import type { GatewayDecisions, RequestName } from '../model-gateway.ts'
import type { Logger } from './logger.ts'
import { postSpans } from './post-spans.ts'
import { isSampled, type Span, traceIdOf } from './span.ts'
import { createSpanQueue, type SpanQueue } from './span-queue.ts'
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
  hear(state: SessionState, events: readonly SessionEvent[]): void
  /** The same decisions; when a request goes out is noted on the way. */
  watchRequests(decisions: GatewayDecisions): GatewayDecisions
  /** Hands on what waits, for a bounded time. */
  close(): Promise<void>
}

interface Heard {
  readonly event: SessionEvent
  readonly requestedAt: number | undefined
}

/** A turn that is watched. Until its agent's file is read, what happens in it is kept. */
interface Watch {
  early: Heard[] | null
  spans: TurnSpans | null
  out: Outlet | null
}

interface Outlet {
  readonly settings: string
  readonly queues: readonly SpanQueue[]
}

export function traceSessions(options: TraceOptions): SessionTracer {
  const { loadAgent, headersOf, clock, logger } = options
  const watches = new Map<SessionId, Watch>()
  /** What waiting messages say, for agents that may capture it. */
  const said = new Map<SessionId, Map<string, string>>()
  const captures = new Map<string, boolean>()
  const outlets = new Map<string, Outlet>()
  const requests = new Map<string, number>()
  const closing: Promise<void>[] = []

  function outletOf(agentName: string, settings: TraceSettings, headers: Readonly<Record<string, string>>): Outlet {
    const key = JSON.stringify([settings, headers])
    const known = outlets.get(agentName)
    if (known?.settings === key) return known
    if (known !== undefined) closing.push(closeOutlet(known))
    const outlet = { settings: key, queues: queuesOf(settings, headers, logger) }
    outlets.set(agentName, outlet)
    return outlet
  }

  /** Reads the agent's file and tells the watch what it has missed; one without traces is forgotten. */
  async function begin(watch: Watch, state: SessionState, first: SessionEvent): Promise<void> {
    const { sessionId, agentName } = state
    try {
      const agent = await loadAgent(agentName)
      const { observability } = agent
      captures.set(agentName, observability?.capturesContent ?? false)
      const { turnId } = first
      if (observability === null || turnId === undefined || !isSampled(traceIdOf(turnId), observability.sampleRate)) {
        return forget(sessionId, watch)
      }
      watch.out = outletOf(agentName, observability, observability.otlp === null ? {} : await headersOf(agentName))
      const messages = said.get(sessionId)
      const ids: readonly string[] = first.type === 'TurnStarted' ? first.data.messageIds : []
      watch.spans = createTurnSpans({
        ...{ turnId, sessionId, agentName, startedAt: startOf(first), provider: providerOf(agent) },
        model: first.type === 'TurnStarted' ? first.data.model : state.model,
        said: observability.capturesContent ? ids.flatMap((id) => messages?.get(id) ?? []) : null,
      })
      for (const heard of watch.early ?? []) tell(watch, heard)
    } catch (error) {
      logger.warn({ agent: agentName, error }, 'a turn is not traced: its agent cannot be read')
      forget(sessionId, watch)
    }
    watch.early = null
  }

  function forget(sessionId: SessionId, watch: Watch): void {
    watch.early = null
    said.delete(sessionId)
    if (watches.get(sessionId) === watch) watches.delete(sessionId)
  }

  function tell({ spans, out }: Watch, { event, requestedAt }: Heard): void {
    for (const span of spans?.hear(event, requestedAt) ?? []) for (const queue of out?.queues ?? []) queue.add(span)
  }

  function hearOne(state: SessionState, event: SessionEvent): void {
    const { sessionId, agentName } = state
    if (event.type === 'UserMessageQueued') {
      if (captures.get(agentName) === false) return
      const messages = said.get(sessionId) ?? new Map<string, string>()
      said.set(sessionId, messages.set(event.data.messageId, event.data.content))
      return
    }
    // One that an earlier process left in the middle ends here without having begun.
    const isFirst = event.type === 'TurnStarted' || (event.type === 'TurnEnded' && !watches.has(sessionId))
    if (isFirst) {
      const watch: Watch = { early: [], spans: null, out: null }
      watches.set(sessionId, watch)
      void begin(watch, state, event)
    }
    const watch = watches.get(sessionId)
    if (watch === undefined) return
    const requestedAt = event.type === 'UsageRecorded' ? requests.get(nameOf({ sessionId, ...event.data })) : undefined
    if (watch.early !== null) watch.early.push({ event, requestedAt })
    else tell(watch, { event, requestedAt })
    if (event.type !== 'TurnEnded') return
    watches.delete(sessionId)
    said.delete(sessionId)
  }

  return {
    hear(state, events) {
      for (const event of events) hearOne(state, event)
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
      await Promise.all([...closing, ...[...outlets.values()].map(closeOutlet)])
    },
  }
}

const nameOf = ({ sessionId, requestId }: RequestName): string => `${sessionId} ${requestId}`

const closeOutlet = async ({ queues }: Outlet): Promise<void> => {
  await Promise.all(queues.map((queue) => queue.close()))
}

function startOf(event: SessionEvent): number {
  const at = Date.parse(event.at)
  return event.type === 'TurnEnded' ? at - event.data.durationMs : at
}

function queuesOf(settings: TraceSettings, headers: Readonly<Record<string, string>>, logger: Logger) {
  const { serviceName, resource, otlp, queue } = settings
  const queues: SpanQueue[] = []
  const attributes = { 'service.name': serviceName, ...resource }
  if (otlp !== null) {
    const { endpoint, timeoutMs, compression } = otlp
    const receiver = { endpoint, headers, timeoutMs, compression, resource: attributes }
    queues.push(createSpanQueue({ ...queue, logger, send: (spans, signal) => postSpans(receiver, spans, signal) }))
  }
  if (settings.console) {
    const send = async (spans: readonly Span[]) => {
      for (const span of spans) logger.info({ service: serviceName, ...span }, 'span')
      return { type: 'taken' } as const
    }
    queues.push(createSpanQueue({ ...queue, logger, send }))
  }
  return queues
}

/** The conventions' names; those they do not have are ours. */
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

function providerOf({ model, modelSource }: AgentDefinition): string {
  if (modelSource === 'simulator' || model.provider === 'simulator') return 'simulator'
  return (model.provider === 'anthropic' ? clouds[model.authProvider] : undefined) ?? providers[model.provider]
}
