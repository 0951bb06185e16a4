// A foreign protocol, spoken at its own addresses: on the server's port with a key, or at a door of its own without one.
import type { AgentRegistry, SessionService } from '@quarterdeck/engine'
import { type CatalogModel, type ModelSummary, type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import type { Hono } from 'hono'
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
  /** The doors as one principal sees them. */
  readonly sessionsOf: (principal: Principal) => SessionService
  readonly agents: AgentRegistry
  readonly catalog: readonly CatalogModel[]
  /** Automatic selection first; of one agent, or of all. */
  readonly models: (asked: AskedModels) => Promise<readonly ModelSummary[]>
  readonly version: string
  readonly now: () => number
  readonly isDraining: () => boolean
  /** For changes that a client may send twice. */
  readonly idempotency: Idempotency
  readonly background: BackgroundWork
  /** For one connection: counts a frame as a request that changes something, or throws `request.rate-limited`. */
  readonly openMeter: (principal: Principal) => () => void
  /** For what is given to clients to be shown again, also after a restart. */
  readonly sign: Sign
  /** The agent of a door; `null` on the server's own port, where the client names one (`?agent=`). */
  readonly agent: string | null
}

export interface Wire {
  /**
   * Where it answers on the server's own port, as patterns: nobody gets there without a key, and what is not found there
   * becomes no page. Several wires may share one; none may lie within another.
   */
  readonly paths: readonly string[]
  readonly mount: MountWire
  /** What its clients are told at a door that has no such address; a problem unless said. */
  readonly notFound?: string
  readonly bulkyQuery?: BulkyQuery
}

/** Mounts the wire's routes and sockets. Who asks is known by then: `c.get('principal')`. */
export type MountWire = (app: Hono<AppEnv>, deps: WireDeps) => void

/** The agent a client talks to: the door's, the one it names, or the only one there is. */
export async function agentFor(deps: Pick<WireDeps, 'agent' | 'agents'>, named: string | undefined): Promise<string> {
  if (deps.agent !== null) return deps.agent
  if (named !== undefined) return (await deps.agents.load(named)).name
  const served = await deps.agents.list()
  const [only, ...others] = served
  if (only !== undefined && others.length === 0) return only.name
  const names = served.map(({ name }) => name).join(', ')
  throw new QuarterdeckError('agent.not-found', `say which agent: ?agent=NAME, one of ${names || 'none so far'}`)
}
