import type { AgentDefinition, SessionId } from '@quarterdeck/protocol'
import { removeCopy } from '../launch/prepare-workspace.ts'
import type { OperationContext } from '../runtime/operation-context.ts'

/** A session that was refused leaves nothing behind. One that is in the log all the same keeps what it has. */
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
    logger.warn({ sessionId, error }, 'what was made for a session that never came to be could not be removed')
  }
}
