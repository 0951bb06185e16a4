// One provider with one key: the gateway for processes, request admission for the in-process loop, and one rate queue
// in front of both.
import type { Logger } from '@quarterdeck/engine'
import {
  createModelGateway,
  createModelRequestAdmission,
  createModelTraffic,
  type GatewayUpstream,
  type ModelGateway,
  type ProviderLimits,
} from '@quarterdeck/model'
import type { GatewayDecisions } from '@quarterdeck/protocol'

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

export type ModelUpstream = ReturnType<typeof createModelUpstream>

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
) {
  const callbacks = withEstimatesLogged(decisions, logger)
  const rate = shaping === undefined || !isShaped ? {} : { rate: shaping.rate }
  const traffic = createModelTraffic({ ...callbacks, ...rate, logger })
  const admission = createModelRequestAdmission({ ...callbacks, traffic, logger })
  let started: Promise<ModelGateway> | null = null

  async function start(): Promise<ModelGateway> {
    const gateway = createModelGateway({
      ...callbacks,
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
    /** Starts it on first use. A failed start is forgotten, so that the next session tries again. */
    gateway(): Promise<ModelGateway> {
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

const withEstimatesLogged = (decisions: GatewayDecisions, logger: Logger): GatewayDecisions => ({
  ...decisions,
  settle(use) {
    const { sessionId, requestId, tokens } = use
    const message = 'a response did not report its whole usage: it is booked as an estimate'
    if (tokens.isOutputEstimated === true) logger.info({ sessionId, requestId, tokens }, message)
    return decisions.settle(use)
  },
})
