import type { Applied, SessionId } from '@quarterdeck/protocol'
import type { Doorway } from './doorway.ts'
import { removeWorkspace } from './prepare-workspace.ts'
import { occupy } from './while-resting.ts'

/**
 * Deletes a resting session: its process, log, transcript and its own copy of a workspace. A shared folder is never
 * touched, and what the session cost stays in the books.
 */
export async function removeSession(door: Doorway, sessionId: SessionId, by: string): Promise<Applied> {
  const { coordinator, store } = door
  const live = await coordinator.open(sessionId)
  return occupy(live, async () => {
    const state = live.writer.state()
    await coordinator.endProcess(live)
    // The log goes first: whatever fails after it leaves files that nothing names any more, never a half session.
    await store.remove(sessionId, by)
    await coordinator.letGo(live)
    door.bus.end(sessionId)
    await forget(door, state.agentName, sessionId)
    await removeWorkspace(state, door.dataDir)
    return { sessionId, appliedSeq: state.seq }
  })
}

async function forget(door: Doorway, agentName: string, sessionId: SessionId): Promise<void> {
  try {
    const backend = await door.backendOf(await door.agents.load(agentName))
    await backend.forget(sessionId)
  } catch (error) {
    // An agent file that is gone has no backend to ask; the session is deleted all the same.
    door.logger.warn({ sessionId, agentName, error }, 'what the backend kept of a deleted session could not be removed')
  }
}
