// Opens the agent process of a session: with the current agent file, model access and the session's services.
import { remainingLimits } from '../../backends/remaining-limits.ts'
import { selectSessionTools } from '../../permissions/tools/session-tools.ts'
import type { OpenBackend } from '../../processes/process-holder.ts'
import type { RunningSession } from '../state/running-session.ts'
import { createAgentServices } from './agent-services.ts'
import { type BackendOpening, never, notifyStarted, openProcess, recordServerStatus } from './open-process.ts'

export async function openBackend(opening: BackendOpening, running: RunningSession): Promise<OpenBackend> {
  const state = running.writer.state()
  const { sessionId, cwd, modelSource, permissionMode, thinking, owner, limits } = state
  const agent = await opening.agents.load(state.agentName)
  const modelAccess = await opening.models.openSession(sessionId, { ...agent, modelSource }, owner)
  try {
    const { subagents, ...services } = createAgentServices(opening, running, agent)
    const backend = await opening.backendOf(agent)
    const signal = running.abort?.signal ?? never
    const { session, model, hostTools } = await openProcess(opening, {
      agent,
      backend,
      sessionId,
      cwd,
      modelAccess,
      modelSource,
      permissionMode,
      thinking,
      signal,
      sessionTools: selectSessionTools(state, agent.tools),
      ...services,
      chosen: state,
      limits: remainingLimits(limits, state.costUsd),
      resume: state.backendSessionId,
      listen: (toolbox) => recordServerStatus(toolbox, running, opening.logger),
    })
    await notifyStarted(running, services.hooks, signal)
    const isMetered = modelAccess.type !== 'environment'
    const notifyEnded = () => services.hooks.ended({ cwd })
    const { turnTimeoutMs } = agent
    return { session, model, hostTools, subagents, isMetered, limits, turnTimeoutMs, notifyEnded }
  } catch (error) {
    // There is no process whose end would close the access.
    opening.models.closeSession(sessionId)
    throw error
  }
}
