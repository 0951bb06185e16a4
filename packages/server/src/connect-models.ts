// The model side behind the engine's port: one simulator, started when first needed, and one gateway per upstream.
import type { GatewayDecisions, Logger, ModelAccess, ModelGateway as ModelPort } from '@quarterdeck/engine'
import {
  createModelGateway,
  createSimulator,
  type GatewayUpstream,
  type ModelGateway,
  type Settlement,
  type SimulatorOptions,
} from '@quarterdeck/model'
import { type AgentDefinition, SessionId } from '@quarterdeck/protocol'

/** How an agent's provider is reached: through a gateway that holds the key, or with the credentials handed over. */
export type ProviderRoute =
  | { readonly type: 'gateway'; readonly upstream: GatewayUpstream }
  | Extract<ModelAccess, { type: 'environment' }>

export interface ModelSideOptions {
  /** Throws `config.missing-credential`. */
  readonly providerRoute: (agent: AgentDefinition) => Promise<ProviderRoute>
  readonly simulator: SimulatorOptions
  readonly logger: Logger
}

export function connectModels(options: ModelSideOptions, decisions: GatewayDecisions): ModelPort {
  const gateways = new Map<string, Promise<ModelGateway>>()
  const opened = new Map<SessionId, ModelGateway>()
  let simulator: { readonly url: Promise<string>; close(): Promise<void> } | undefined

  function simulatorUrl(): Promise<string> {
    if (simulator === undefined) {
      const created = createSimulator(options.simulator)
      simulator = { url: created.listen().then(({ url }) => url), close: created.close }
    }
    return simulator.url
  }

  async function routeOf(agent: AgentDefinition): Promise<ProviderRoute> {
    if (agent.modelSource === 'provider') return options.providerRoute(agent)
    return { type: 'gateway', upstream: { baseUrl: await simulatorUrl(), credential: null } }
  }

  function gatewayFor(upstream: GatewayUpstream): Promise<ModelGateway> {
    const key = JSON.stringify(upstream)
    const earlier = gateways.get(key)
    if (earlier !== undefined) return earlier
    const started = startGateway(upstream, decisions, options.logger)
    gateways.set(key, started)
    return started
  }

  return {
    async openSession(sessionId, agent) {
      const route = await routeOf(agent)
      if (route.type === 'environment') return route
      const gateway = await gatewayFor(route.upstream)
      opened.set(sessionId, gateway)
      return { type: 'gateway', ...gateway.openSession(sessionId) }
    },
    closeSession(sessionId) {
      opened.get(sessionId)?.closeSession(sessionId)
      opened.delete(sessionId)
    },
    async close() {
      await Promise.all([...gateways.values()].map(async (gateway) => (await gateway).close()))
      await simulator?.close()
    },
  }
}

async function startGateway(
  upstream: GatewayUpstream,
  decisions: GatewayDecisions,
  logger: Logger,
): Promise<ModelGateway> {
  const gateway = createModelGateway({
    upstream,
    authorize: (request) => decisions.authorize({ ...request, sessionId: SessionId.parse(request.sessionId) }),
    settle: (settlement) => decisions.settle(useOf(settlement)),
    logger,
  })
  await gateway.listen()
  return gateway
}

function useOf({ sessionId, requestId, messageId, requestedModel, servedModel, usage }: Settlement) {
  return {
    sessionId: SessionId.parse(sessionId),
    ...{ requestId, apiMessageId: messageId, requestedModel, servedModel },
    tokens: {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cacheRead: usage.cacheReadInputTokens,
      cacheWrite: usage.cacheCreationInputTokens,
    },
  }
}
