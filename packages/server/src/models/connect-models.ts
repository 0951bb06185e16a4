// The model connections behind the port of the engine: one simulator, started on first use, and one upstream for each
// provider and key.
import type { EmbeddingAccess, InProcessAccess, Logger, ModelConnections } from '@quarterdeck/engine'
import type { GatewayUpstream } from '@quarterdeck/model'
import type { AgentDefinition, GatewayDecisions, SessionId } from '@quarterdeck/protocol'
import { createSimulator, type SimulatorOptions } from '@quarterdeck/simulator'
import { createModelUpstream, type ModelUpstream, type TrafficShaping } from './model-upstream.ts'
import { type ProviderRoute, simulatedEmbeddings, simulatedRoute } from './simulated-access.ts'

export type { TrafficShaping }

export interface ModelConnectionsOptions {
  /** Throws `config.missing-credential`. */
  readonly providerRoute: (agent: AgentDefinition) => Promise<ProviderRoute>
  /** Throws `config.missing-credential`. */
  readonly embeddingRoute: (agent: AgentDefinition) => Promise<EmbeddingAccess>
  readonly simulator: SimulatorOptions
  readonly shaping?: TrafficShaping
  /** How long an unused upstream stays open: longer than the rate window that it remembers. */
  readonly idleGatewayMs?: number
  readonly logger: Logger
}

interface UsedUpstream extends ModelUpstream {
  sessions: number
  /** Runs while the upstream is unused. */
  leaving: NodeJS.Timeout | null
}

interface ModelConnection {
  readonly type: 'gateway' | 'in-process'
  readonly key: string
  readonly upstream: UsedUpstream
  /** Revokes the access. */
  close(): void
}

const usualIdleGatewayMs = 5 * 60_000

export function connectModels(options: ModelConnectionsOptions, decisions: GatewayDecisions): ModelConnections {
  const upstreams = new Map<string, UsedUpstream>()
  const opened = new Map<SessionId, ModelConnection>()
  let simulator: { readonly url: Promise<string>; close(): Promise<void> } | undefined

  function simulatorUrl(): Promise<string> {
    if (simulator === undefined) {
      const created = createSimulator(options.simulator)
      simulator = { url: created.listen().then(({ url }) => url), close: created.close }
      simulator.url.catch(() => {
        simulator = undefined
      })
    }
    return simulator.url
  }

  async function routeOf(agent: AgentDefinition): Promise<ProviderRoute> {
    return agent.modelSource === 'provider' ? options.providerRoute(agent) : simulatedRoute(agent, await simulatorUrl())
  }

  function isShaped(agent: AgentDefinition): boolean {
    if (agent.modelSource === 'simulator') return options.shaping?.shapesSimulator ?? false
    // A self-hosted model has no rate limit.
    return agent.model.provider !== 'ollama'
  }

  /** The upstream with this key and rate. */
  function upstreamOf(key: string, upstream: GatewayUpstream, shaped: boolean): UsedUpstream {
    const earlier = upstreams.get(key)
    if (earlier !== undefined) return earlier
    const { shaping, logger } = options
    const made = createModelUpstream(upstream, { isShaped: shaped, shaping, logger }, decisions)
    const used: UsedUpstream = { ...made, sessions: 0, leaving: null }
    upstreams.set(key, used)
    return used
  }

  function use(upstream: UsedUpstream): void {
    upstream.sessions += 1
    if (upstream.leaving !== null) clearTimeout(upstream.leaving)
    upstream.leaving = null
  }

  function leave({ key, upstream }: ModelConnection): void {
    upstream.sessions -= 1
    if (upstream.sessions > 0) return
    upstream.leaving = setTimeout(() => {
      upstreams.delete(key)
      upstream.close().catch(() => options.logger.warn({}, 'an unused gateway could not be closed'))
    }, options.idleGatewayMs ?? usualIdleGatewayMs)
    upstream.leaving.unref()
  }

  function closeSession(sessionId: SessionId): void {
    const connection = opened.get(sessionId)
    if (connection === undefined) return
    opened.delete(sessionId)
    connection.close()
    leave(connection)
  }

  /** A session has one access: a changed key or kind replaces the old one. */
  function enter(sessionId: SessionId, connection: ModelConnection): void {
    const earlier = opened.get(sessionId)
    if (earlier?.key === connection.key && earlier.type === connection.type) return
    if (earlier !== undefined) closeSession(sessionId)
    opened.set(sessionId, connection)
    use(connection.upstream)
  }

  return {
    async openSession(sessionId, agent, owner) {
      const route = await routeOf(agent)
      if (route.type === 'environment') return route
      const shaped = isShaped(agent)
      const key = JSON.stringify([route.upstream, shaped])
      const upstream = upstreamOf(key, route.upstream, shaped)
      if (route.type === 'in-process') {
        enter(sessionId, { type: route.type, key, upstream, close: () => upstream.admission.closeSession(sessionId) })
        const { upstream: _, ...access } = route
        const { provider } = agent.model
        const retryPolicy = retryPolicyOf(options.shaping)
        return { ...access, provider, requests: upstream.admission.open(sessionId, owner), retryPolicy }
      }
      const gateway = await upstream.gateway()
      enter(sessionId, { type: route.type, key, upstream, close: () => gateway.closeSession(sessionId) })
      const hasFallbackModel = agent.claude.fallbackModel !== null
      return { type: 'gateway', ...gateway.openSession(sessionId, { owner, hasFallbackModel }) }
    },
    async embeddings(agent) {
      return agent.modelSource === 'provider'
        ? options.embeddingRoute(agent)
        : simulatedEmbeddings(agent, await simulatorUrl())
    },
    closeSession,
    async close() {
      for (const { leaving } of upstreams.values()) if (leaving !== null) clearTimeout(leaving)
      const closed = await Promise.allSettled([...upstreams.values()].map((upstream) => upstream.close()))
      await simulator?.close()
      for (const end of closed) if (end.status === 'rejected') throw end.reason
    },
  }
}

/** The settings of a gateway, for a loop without one. */
const retryPolicyOf = (shaping: TrafficShaping | undefined): NonNullable<InProcessAccess['retryPolicy']> => ({
  ...(shaping?.maxRetries == null ? {} : { maxRetries: shaping.maxRetries }),
  ...(shaping === undefined || shaping.silenceMs === 0 ? {} : { silenceMs: shaping.silenceMs }),
})
