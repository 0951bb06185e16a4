import type { AgentDefinition, Applied, SessionId } from '@quarterdeck/protocol'
import { removeCopy, removeWorkspace } from '../launch/prepare-workspace.ts'
import type { OperationContext } from '../runtime/operation-context.ts'
import { occupy } from './while-resting.ts'

/**
 * Deletes a resting session: its process, log, transcript and its own copy of a workspace. A shared folder is never
 * touched, and the costs of the session stay in the ledger.
 */
export async function removeSession(context: OperationContext, sessionId: SessionId, by: string): Promise<Applied> {
  const { coordinator, store } = context
  const running = await coordinator.open(sessionId)
  return occupy(running, async () => {
    const state = running.writer.state()
    await coordinator.endProcess(running)
    // The log is deleted first: a later failure leaves unreferenced files, never half a session.
    await store.remove(sessionId, by)
    await coordinator.release(running)
    context.bus.end(sessionId)
    await forget(context, state.agentName, sessionId)
    await removeWorkspace(state, context.dataDir)
    return { sessionId, appliedSeq: state.seq }
  })
}

async function forget(context: OperationContext, agentName: string, sessionId: SessionId): Promise<void> {
  try {
    const backend = await context.backendOf(await context.agents.load(agentName))
    await backend.forget(sessionId)
  } catch (error) {
    // Without an agent file there is no backend to ask. The session is deleted anyway.
    context.logger.warn(
      { sessionId, agentName, error },
      "the backend's files of a deleted session could not be removed",
    )
  }
}

/** Removes the files of a session that could not be created. A session that is in the log after all keeps them. */
export async function removeFailedSession(
  { store, dataDir, backendOf, logger }: Pick<OperationContext, 'store' | 'dataDir' | 'backendOf' | 'logger'>,
  agent: AgentDefinition,
  sessionId: SessionId,
): Promise<void> {
  try {
    if ((await store.load(sessionId)) !== null) return
    await removeCopy(dataDir, sessionId)
    const backend = await backendOf(agent)
    await backend.forget(sessionId)
  } catch (error) {
    logger.warn({ sessionId, error }, 'the files of a session that could not be created could not be removed')
  }
}
