// One provider with one key: the gateway for processes, request admission for the in-process loop, and one rate queue
// in front of both.
import type { GatewayDecisions, Logger } from '@quarterdeck/engine'
import {
  createModelGateway,
  createModelRequestAdmission,
  createModelTraffic,
  type GatewayUpstream,
  type ModelGateway,
  type ModelGatewayOptions,
  type ModelRequestAdmission,
  type ProviderLimits,
  type Settlement,
} from '@quarterdeck/model'
import { SessionId } from '@quarterdeck/protocol'

/** The rate limits of the traffic to a provider. */
export interface TrafficShaping {
  /** Per model family. */
  readonly rate: ProviderLimits
  /** The simulator has no limits unless configured. */
  readonly shapesSimulator: boolean
  readonly mergeWindowMs: number
  readonly silenceMs: number
  readonly maxRetries: number | null
}

export interface ModelUpstream {
  /** Starts it on first use. A failed start is forgotten, so that the next session tries again. */
  gateway(): Promise<ModelGateway>
  readonly admission: ModelRequestAdmission
  close(): Promise<void>
}

export interface UpstreamOptions {
  readonly isShaped: boolean
  readonly shaping: TrafficShaping | undefined
  readonly logger: Logger
}

/** Long thinking without a stream starts late, but not later than official clients wait. */
const headSilenceMs = 10 * 60_000

export function createModelUpstream(
  upstream: GatewayUpstream,
  { isShaped, shaping, logger }: UpstreamOptions,
  decisions: GatewayDecisions,
): ModelUpstream {
  const gatewayCallbacks = gatewayCallbacksOf(decisions, logger)
  const rate = shaping === undefined || !isShaped ? {} : { rate: shaping.rate }
  const traffic = createModelTraffic({ ...gatewayCallbacks, ...rate, logger })
  const admission = createModelRequestAdmission({ ...gatewayCallbacks, traffic, logger })
  let started: Promise<ModelGateway> | null = null

  async function start(): Promise<ModelGateway> {
    const gateway = createModelGateway({
      ...gatewayCallbacks,
      traffic,
      logger,
      headSilenceMs,
      upstream,
      mergeWindowMs: shaping?.mergeWindowMs ?? 0,
      silenceMs: shaping?.silenceMs ?? 0,
      ...(shaping?.maxRetries == null ? {} : { retry: { maxRetries: shaping.maxRetries } }),
    })
    await gateway.listen()
    return gateway
  }

  return {
    gateway() {
      if (started !== null) return started
      const starting = start()
      started = starting
      // Callers that wait for it get the error.
      starting.catch(() => {
        started = null
      })
      return starting
    },
    admission,
    async close() {
      const gateway = started
      await admission.close()
      await (await gateway)?.close()
    },
  }
}

/** Maps decisions of the engine to the types of the model side. */
function gatewayCallbacksOf(decisions: GatewayDecisions, logger: Logger) {
  return {
    authorize: (request, signal) => decisions.authorize(named(request), signal),
    onBegun: (begun) => decisions.onBegun(useOf(begun)),
    settle: (settlement) => {
      if (!settlement.isComplete) logEstimate(settlement, logger)
      return decisions.settle(useOf(settlement))
    },
    release: (request) => decisions.release(named(request)),
    onWaiting: ({ queuePosition, ...request }) => decisions.onWaiting(named(request), queuePosition),
    onRetrying: (retrying) => decisions.onRetrying(named(retrying)),
    onKeyRefused: (refused) => decisions.onKeyRefused(named(refused)),
  } satisfies Partial<ModelGatewayOptions>
}

/** The model side treats the id of the engine as plain text. */
const named = <Named extends { readonly sessionId: string }>(request: Named) => ({
  ...request,
  sessionId: SessionId.parse(request.sessionId),
})

function logEstimate({ sessionId, requestId, usage }: Settlement, logger: Logger): void {
  logger.info({ sessionId, requestId, usage }, 'a response did not report its whole usage: it is booked as an estimate')
}

function useOf(settlement: Settlement) {
  const { sessionId, requestId, messageId, requestedModel, servedModel, usage, isComplete } = settlement
  return {
    sessionId: SessionId.parse(sessionId),
    requestId,
    apiMessageId: messageId,
    requestedModel,
    servedModel,
    tokens: {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cacheRead: usage.cacheReadInputTokens,
      cacheWrite: usage.cacheCreationInputTokens,
      ...(isComplete ? {} : { isOutputEstimated: true }),
    },
  }
}
