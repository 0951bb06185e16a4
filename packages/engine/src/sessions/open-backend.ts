// Gives a session its agent process: the definition as the file says now, a way to the model, and the session's parts.
import type { AgentDefinition, SessionState } from '@quarterdeck/protocol'
import type { AgentBackend } from '../backends/backend.ts'
import type { ModelGateway } from '../model-gateway.ts'
import type { LiveSession, OpenBackend } from './live-session.ts'
import { createSessionParts, type SessionPartsOptions } from './session-parts.ts'
import type { AgentShelf } from './session-service.ts'

export interface BackendOpening extends SessionPartsOptions {
  readonly agents: AgentShelf
  readonly models: ModelGateway
  readonly backendOf: (agent: AgentDefinition) => Promise<AgentBackend>
}

export async function openBackend(opening: BackendOpening, live: LiveSession): Promise<OpenBackend> {
  const state = live.writer.state()
  const { sessionId, cwd, model, modelSource, permissionMode, thinking, owner } = state
  const agent = await opening.agents.load(state.agentName)
  const modelAccess = await opening.models.openSession(sessionId, { ...agent, modelSource }, owner)
  const { subagents, ...parts } = createSessionParts(opening, live, agent)
  const backend = await opening.backendOf(agent)
  const session = await backend.createSession({
    ...{ sessionId, cwd, model, modelSource, permissionMode, thinking, modelAccess },
    ...parts,
    limits: remainingLimits(state),
    subagentModel: null,
    resume: state.backendSessionId,
  })
  return { session, subagents, isMetered: modelAccess.type === 'gateway' }
}

/** What the backend fences itself with: the whole turn limit, and the money that is left. */
function remainingLimits({ limits, costUsd }: SessionState) {
  return { ...limits, maxBudgetUsd: Math.max(0.000001, limits.maxBudgetUsd - costUsd) }
}
