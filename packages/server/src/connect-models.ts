// The model side behind the engine's port: one simulator, started when first needed, and one gateway per upstream.
import type { GatewayDecisions, Logger, ModelAccess, ModelGateway as ModelPort } from '@quarterdeck/engine'
import {
  createModelGateway,
  createSimulator,
  type GatewayUpstream,
  type ModelGateway,
  type ProviderLimits,
  type Settlement,
  type SimulatorOptions,
} from '@quarterdeck/model'
import { type AgentDefinition, QuarterdeckError, SessionId } from '@quarterdeck/protocol'

/** How an agent's provider is reached: through a gateway that holds the key, or with the credentials handed over. */
export type ProviderRoute =
  | { readonly type: 'gateway'; readonly upstream: GatewayUpstream }
  | Extract<ModelAccess, { type: 'environment' }>

export interface ModelSideOptions {
  /** Throws `config.missing-credential`. */
  readonly providerRoute: (agent: AgentDefinition) => Promise<ProviderRoute>
  readonly simulator: SimulatorOptions
  readonly shaping?: TrafficShaping
  /** How long a gateway without sessions stays; longer than the rate's window, which it remembers. */
  readonly idleGatewayMs?: number
  readonly logger: Logger
}

/** How traffic to a provider is held to what it grants. */
export interface TrafficShaping {
  /** For each model family. */
  readonly rate: ProviderLimits
  /** The simulator grants everything unless it is asked to behave. */
  readonly shapesSimulator: boolean
  readonly mergeWindowMs: number
  readonly silenceMs: number
  readonly maxRetries: number | null
}

interface Upstream {
  readonly gateway: Promise<ModelGateway>
  sessions: number
  /** Runs while nobody uses it. */
  leaving: NodeJS.Timeout | null
}

const usualIdleGatewayMs = 5 * 60_000
/** Long thinking without a stream begins late, but not later than official clients wait. */
const headSilenceMs = 10 * 60_000

export function connectModels(options: ModelSideOptions, decisions: GatewayDecisions): ModelPort {
  const upstreams = new Map<string, Upstream>()
  const opened = new Map<SessionId, { readonly gateway: ModelGateway; readonly key: string }>()
  let simulator: { readonly url: Promise<string>; close(): Promise<void> } | undefined

  function simulatorUrl(): Promise<string> {
    if (simulator === undefined) {
      const created = createSimulator(options.simulator)
      simulator = { url: created.listen().then(({ url }) => url), close: created.close }
      onFailure(simulator.url, () => {
        simulator = undefined
      })
    }
    return simulator.url
  }

  async function routeOf(agent: AgentDefinition): Promise<ProviderRoute> {
    if (agent.modelSource === 'provider') return options.providerRoute(agent)
    return { type: 'gateway', upstream: { baseUrl: await simulatorUrl(), credential: null } }
  }

  /** The gateway with this key and rate: whoever shares them shares it. */
  function gatewayFor(upstream: GatewayUpstream, key: string, isShaped: boolean): Promise<ModelGateway> {
    const earlier = upstreams.get(key)
    if (earlier !== undefined) return earlier.gateway
    const gateway = startGateway(upstream, { ...options, isShaped }, decisions)
    upstreams.set(key, { gateway, sessions: 0, leaving: null })
    onFailure(gateway, () => upstreams.delete(key))
    return gateway
  }

  function use(key: string): void {
    const upstream = upstreams.get(key)
    if (upstream === undefined) return
    upstream.sessions += 1
    if (upstream.leaving !== null) clearTimeout(upstream.leaving)
    upstream.leaving = null
  }

  function leave(key: string): void {
    const upstream = upstreams.get(key)
    if (upstream === undefined) return
    upstream.sessions -= 1
    if (upstream.sessions > 0) return
    upstream.leaving = setTimeout(() => {
      upstreams.delete(key)
      onFailure(
        upstream.gateway.then((gateway) => gateway.close()),
        () => options.logger.warn({}, 'a gateway that nobody used could not be closed'),
      )
    }, options.idleGatewayMs ?? usualIdleGatewayMs)
    upstream.leaving.unref()
  }

  function closeSession(sessionId: SessionId): void {
    const way = opened.get(sessionId)
    if (way === undefined) return
    opened.delete(sessionId)
    way.gateway.closeSession(sessionId)
    leave(way.key)
  }

  return {
    async openSession(sessionId, agent, owner) {
      const route = await routeOf(agent)
      if (route.type === 'environment') return route
      const { upstream } = route
      const isShaped = agent.modelSource === 'provider' || (options.shaping?.shapesSimulator ?? false)
      const key = JSON.stringify([upstream, isShaped])
      const gateway = await gatewayFor(upstream, key, isShaped)
      const earlier = opened.get(sessionId)
      // The key has changed meanwhile: the old way is no longer this session's.
      if (earlier !== undefined && earlier.gateway !== gateway) closeSession(sessionId)
      if (!opened.has(sessionId)) {
        opened.set(sessionId, { gateway, key })
        use(key)
      }
      const hasFallbackModel = agent.claude.fallbackModel !== null
      return { type: 'gateway', ...gateway.openSession(sessionId, { owner, hasFallbackModel }) }
    },
    embeddings: async () => {
      throw new QuarterdeckError('config.unsupported', 'embeddings are being built')
    },
    closeSession,
    async close() {
      for (const { leaving } of upstreams.values()) if (leaving !== null) clearTimeout(leaving)
      const closed = await Promise.allSettled(
        [...upstreams.values()].map(async ({ gateway }) => (await gateway).close()),
      )
      await simulator?.close()
      for (const end of closed) if (end.status === 'rejected') throw end.reason
    },
  }
}

/** What failed to start is forgotten, so that the next session tries again. Whoever waits for it hears of the failure. */
function onFailure(started: Promise<unknown>, forget: () => void): void {
  started.catch(forget)
}

async function startGateway(
  upstream: GatewayUpstream,
  { shaping, isShaped, logger }: Pick<ModelSideOptions, 'shaping' | 'logger'> & { readonly isShaped: boolean },
  decisions: GatewayDecisions,
): Promise<ModelGateway> {
  const gateway = createModelGateway({
    upstream,
    authorize: (request, signal) => decisions.authorize(named(request), signal),
    onBegun: (begun) => decisions.onBegun(useOf(begun)),
    settle: (settlement) => {
      if (!settlement.isComplete) tellEstimate(settlement, logger)
      return decisions.settle(useOf(settlement))
    },
    release: (request) => decisions.release(named(request)),
    onWaiting: ({ place, ...request }) => decisions.onWaiting(named(request), place),
    onRetrying: (retrying) => decisions.onRetrying(named(retrying)),
    onKeyRefused: (refused) => decisions.onKeyRefused(named(refused)),
    mergeWindowMs: shaping?.mergeWindowMs ?? 0,
    silenceMs: shaping?.silenceMs ?? 0,
    headSilenceMs,
    ...(shaping?.maxRetries == null ? {} : { retry: { maxRetries: shaping.maxRetries } }),
    ...(shaping === undefined || !isShaped ? {} : { rate: shaping.rate }),
    logger,
  })
  await gateway.listen()
  return gateway
}

/** The gateway keeps the engine's id as a plain text. */
const named = <Named extends { readonly sessionId: string }>(request: Named) => ({
  ...request,
  sessionId: SessionId.parse(request.sessionId),
})

function tellEstimate({ sessionId, requestId, usage }: Settlement, logger: Logger): void {
  logger.info({ sessionId, requestId, usage }, 'an answer did not tell its whole usage: it is booked as an estimate')
}

function useOf(settlement: Settlement) {
  const { sessionId, requestId, messageId, requestedModel, servedModel, usage, isComplete } = settlement
  return {
    sessionId: SessionId.parse(sessionId),
    ...{ requestId, apiMessageId: messageId, requestedModel, servedModel },
    tokens: {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cacheRead: usage.cacheReadInputTokens,
      cacheWrite: usage.cacheCreationInputTokens,
      ...(isComplete ? {} : { isOutputEstimated: true }),
    },
  }
}
