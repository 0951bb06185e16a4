// Gives a session its agent process: the definition as the file says now, a way to the model, and the session's parts.
import { remainingLimits } from '../backends/remaining-limits.ts'
import { sessionShape } from '../tools/session-shape.ts'
import type { LiveSession, OpenBackend } from './live-session.ts'
import { type BackendOpening, never, openProcess, tellServers, tellStart } from './open-process.ts'
import { createSessionParts } from './session-parts.ts'

export async function openBackend(opening: BackendOpening, live: LiveSession): Promise<OpenBackend> {
  const state = live.writer.state()
  const { sessionId, cwd, modelSource, permissionMode, thinking, owner, limits } = state
  const agent = await opening.agents.load(state.agentName)
  const modelAccess = await opening.models.openSession(sessionId, { ...agent, modelSource }, owner)
  try {
    const { subagents, ...parts } = createSessionParts(opening, live, agent)
    const backend = await opening.backendOf(agent)
    const signal = live.abort?.signal ?? never
    const { session, model, hostTools } = await openProcess(opening, {
      ...{ agent, backend, sessionId, cwd, modelAccess, modelSource, permissionMode, thinking, signal },
      shape: sessionShape(state, agent.tools),
      ...parts,
      chosen: state,
      limits: remainingLimits(limits, state.costUsd),
      resume: state.backendSessionId,
      listen: (toolbox) => tellServers(toolbox, live, opening.logger),
    })
    await tellStart(live, parts.hooks, signal)
    const isMetered = modelAccess.type !== 'environment'
    const tellEnded = () => parts.hooks.ended({ cwd })
    const { turnTimeoutMs } = agent
    return { session, model, hostTools, subagents, isMetered, limits, turnTimeoutMs, tellEnded }
  } catch (error) {
    // No process is there to be ended later, which closes the way else.
    opening.models.closeSession(sessionId)
    throw error
  }
}
