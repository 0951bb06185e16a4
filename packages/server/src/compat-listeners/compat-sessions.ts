// The session service of a compatibility listener: one agent only, and no decisions.
import type { FileAgentRegistry, SessionService } from '@quarterdeck/engine'
import { type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import { refuseUnsafeAgent } from './refuse-unsafe-agent.ts'

export interface CompatSessionsDeps {
  readonly agent: string
  readonly agents: FileAgentRegistry
  /** The session service of a principal. */
  readonly sessionsOf: (principal: Principal) => SessionService
}

export function compatSessions(
  principal: Principal,
  { agent, agents, sessionsOf }: CompatSessionsDeps,
): SessionService {
  const sessions = sessionsOf(principal)
  // The wire itself acts as admin.
  if (principal.scope === 'admin') return sessions
  return {
    ...sessions,
    /** Always uses the agent of the listener, as long as its file is safe enough. */
    async createSession(session, by, seed) {
      refuseUnsafeAgent(agent, await agents.loaded())
      return sessions.createSession({ ...session, agent }, by, seed)
    },
    decideApproval: refuseDecision,
    answerQuestion: refuseDecision,
    /** Clients choose model and thinking at the start and may change them later. All other changes are decisions. */
    async changeSession(sessionId, { model, thinking, ...rest }, by) {
      if (Object.keys(rest).length > 0) return refuseDecision()
      const chosen = { ...(model === undefined ? {} : { model }), ...(thinking === undefined ? {} : { thinking }) }
      return sessionsOf({ ...principal, scope: 'operator' }).changeSession(sessionId, chosen, by)
    },
  }
}

async function refuseDecision(): Promise<never> {
  throw new QuarterdeckError(
    'auth.forbidden',
    'clients of a compatibility listener have no key and cannot decide: this waits for an admin, in the workbench, with ' +
      '"quarterdeck sessions approve" or "answer", or over the API',
  )
}
