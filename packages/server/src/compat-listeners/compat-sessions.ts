// Sessions as they are seen through a door: of one agent, and without a word in what is asked of people.
import type { SessionService } from '@quarterdeck/engine'
import { type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import type { ServedAgentRegistry } from '../runtime/open-runtime.ts'
import { refuseUnsafeAgent } from './refuse-unsafe-agent.ts'

export interface CompatSessionsDeps {
  readonly agent: string
  readonly agents: ServedAgentRegistry
  /** The doors as one principal sees them. */
  readonly sessionsOf: (principal: Principal) => SessionService
}

export function compatSessions(
  principal: Principal,
  { agent, agents, sessionsOf }: CompatSessionsDeps,
): SessionService {
  const sessions = sessionsOf(principal)
  // The wire's own hand, on this side of the door.
  if (principal.scope === 'admin') return sessions
  return {
    ...sessions,
    /** Whatever a client asks for, it gets this agent; and as long as its file may have a door. */
    async create(session, by, seed) {
      refuseUnsafeAgent(agent, await agents.loaded())
      return sessions.create({ ...session, agent }, by, seed)
    },
    decide: refuseDecision,
    answer: refuseDecision,
    /** Whoever starts a session chooses these two, and may choose anew. Everything else is a decision. */
    async change(sessionId, { model, thinking, ...rest }, by) {
      if (Object.keys(rest).length > 0) return refuseDecision()
      const chosen = { ...(model === undefined ? {} : { model }), ...(thinking === undefined ? {} : { thinking }) }
      return sessionsOf({ ...principal, scope: 'operator' }).change(sessionId, chosen, by)
    },
  }
}

async function refuseDecision(): Promise<never> {
  throw new QuarterdeckError(
    'auth.forbidden',
    'nothing is decided at a door, where nobody shows a key: this waits for an admin, in the workbench, with ' +
      '"quarterdeck sessions approve" or "answer", or over the API',
  )
}
