import type { Applied, SessionId } from '@quarterdeck/protocol'
import { removeWorkspace } from '../launch/prepare-workspace.ts'
import type { OperationContext } from '../runtime/operation-context.ts'
import { occupy } from './while-resting.ts'

/**
 * Deletes a resting session: its process, log, transcript and its own copy of a workspace. A shared folder is never
 * touched, and what the session cost stays in the books.
 */
export async function removeSession(context: OperationContext, sessionId: SessionId, by: string): Promise<Applied> {
  const { coordinator, store } = context
  const running = await coordinator.open(sessionId)
  return occupy(running, async () => {
    const state = running.writer.state()
    await coordinator.endProcess(running)
    // The log goes first: whatever fails after it leaves files that nothing names any more, never a half session.
    await store.remove(sessionId, by)
    await coordinator.letGo(running)
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
    // An agent file that is gone has no backend to ask; the session is deleted all the same.
    context.logger.warn(
      { sessionId, agentName, error },
      'what the backend kept of a deleted session could not be removed',
    )
  }
}
