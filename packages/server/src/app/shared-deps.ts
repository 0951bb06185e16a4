// Dependencies of the main port, the compatibility listeners and the local host. Created once per runtime.
import type { Logger } from '@quarterdeck/engine'
import { createKeyWatch } from '../auth/key-watch.ts'
import { createServerMetrics } from '../metrics/server-metrics.ts'
import { createIdempotency } from '../middleware/idempotency.ts'
import { defaultRateLimits, type RateLimits } from '../middleware/rate-limits.ts'
import { type AskedModels, servedModels } from '../models/served-models.ts'
import { createBackgroundWork } from '../runtime/background-work.ts'
import type { Runtime } from '../runtime/open-runtime.ts'
import { defaultStreamTiming, type StreamTiming } from '../transports/stream-deps.ts'
import { readVersion } from './version.ts'

export interface SharedOptions {
  readonly logger: Logger
  readonly rateLimits?: Partial<RateLimits> | undefined
  readonly timing?: Partial<StreamTiming> | undefined
  /** The interval of `KeyWatch`. */
  readonly keyCheckMs?: number
}

export type SharedDeps = ReturnType<typeof createSharedDeps>

export function createSharedDeps(runtime: Runtime, { logger, rateLimits, timing, ...watching }: SharedOptions) {
  const { engine, settings } = runtime
  const { keys, agents, agentChanges, sessionsOf, operationsOf } = engine
  const { catalog } = settings
  const version = readVersion()
  const metrics = createServerMetrics(version, runtime.metrics)
  return {
    logger,
    keys,
    agents,
    agentChanges,
    sessionsOf,
    operationsOf,
    catalog,
    version,
    metrics,
    now: Date.now,
    onOpened: metrics.opened,
    models: (asked: AskedModels) => servedModels({ agents, catalog }, asked),
    rateLimits: { ...defaultRateLimits, ...rateLimits },
    timing: { ...defaultStreamTiming, ...timing },
    keyWatch: createKeyWatch({ keys, logger, ...watching }),
    idempotency: createIdempotency(engine.replies),
    background: createBackgroundWork(),
  }
}
