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

  function gatewayFor(upstream: GatewayUpstream): Promise<ModelGateway> {
    const key = JSON.stringify(upstream)
    const earlier = gateways.get(key)
    if (earlier !== undefined) return earlier
    const started = startGateway(upstream, decisions, options.logger)
    gateways.set(key, started)
    onFailure(started, () => gateways.delete(key))
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

/** What failed to start is forgotten, so that the next session tries again. Whoever waits for it hears of the failure. */
function onFailure(started: Promise<unknown>, forget: () => void): void {
  started.catch(forget)
}

async function startGateway(
  upstream: GatewayUpstream,
  decisions: GatewayDecisions,
  logger: Logger,
): Promise<ModelGateway> {
  const gateway = createModelGateway({
    upstream,
    authorize: (request) => decisions.authorize({ ...request, sessionId: SessionId.parse(request.sessionId) }),
    settle: (settlement) => {
      if (!settlement.isComplete) tellEstimate(settlement, logger)
      return decisions.settle(useOf(settlement))
    },
    logger,
  })
  await gateway.listen()
  return gateway
}

function tellEstimate({ sessionId, requestId, usage }: Settlement, logger: Logger): void {
  const facts = { sessionId, requestId, outputTokens: usage.outputTokens }
  logger.info(facts, 'an answer broke off before it told its usage: its output tokens are booked as an estimate')
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
