// A foreign protocol at its own addresses: on the main port with a key, or on a compatibility listener without one.
import type { AgentRegistry, SessionService } from '@quarterdeck/engine'
import { type CatalogModel, type ModelSummary, type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import type { Hono } from 'hono'
import type { KeyLookup } from '../auth/authenticate.ts'
import type { Sign } from '../auth/create-signer.ts'
import type { AppEnv } from '../http/app-env.ts'
import type { BulkyQuery } from '../middleware/bound-url.ts'
import type { Idempotency } from '../middleware/idempotency.ts'
import type { AskedModels } from '../models/served-models.ts'
import type { BackgroundWork } from '../runtime/background-work.ts'
import type { StreamDeps } from '../transports/stream-deps.ts'

export const wireNames = ['chat', 'claude-agent-server', 'analyze'] as const
export type WireName = (typeof wireNames)[number]

export interface WireDeps extends StreamDeps {
  /** The session service of a principal. */
  readonly sessionsOf: (principal: Principal) => SessionService
  readonly agents: AgentRegistry
  readonly catalog: readonly CatalogModel[]
  /** Automatic selection first; for one agent, or for all. */
  readonly models: (asked: AskedModels) => Promise<readonly ModelSummary[]>
  readonly version: string
  readonly now: () => number
  readonly keys: KeyLookup
  readonly isDraining: () => boolean
  /** For changes that a client may send twice. */
  readonly idempotency: Idempotency
  readonly background: BackgroundWork
  /** For one connection: counts a frame as a change, or throws `request.rate-limited`. */
  readonly openMeter: (principal: Principal) => () => void
  /** Signs values that clients return later, even after a restart. */
  readonly sign: Sign
  /** The agent of a compatibility listener; `null` on the main port, where the client names one (`?agent=`). */
  readonly agent: string | null
}

export interface Wire {
  readonly mount: MountWire
  /** The 404 text on a compatibility listener; a problem by default. */
  readonly notFound?: string
  readonly bulkyQuery?: BulkyQuery
}

/** Mounts the routes and sockets of the wire. The caller is already identified: `c.get('principal')`. */
export type MountWire = (app: Hono<AppEnv>, deps: WireDeps) => void

/** The agent of a client: that of the listener, the one it names, or the only one. */
export async function agentFor(deps: Pick<WireDeps, 'agent' | 'agents'>, named: string | undefined): Promise<string> {
  if (deps.agent !== null) return deps.agent
  if (named !== undefined) return (await deps.agents.load(named)).name
  const served = await deps.agents.list()
  const [only, ...others] = served
  if (only !== undefined && others.length === 0) return only.name
  const names = served.map(({ name }) => name).join(', ')
  throw new QuarterdeckError('agent.not-found', `name the agent: ?agent=NAME, one of ${names || 'none so far'}`)
}
