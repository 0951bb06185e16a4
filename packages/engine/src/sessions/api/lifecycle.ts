import { forkSession } from '../branches/fork-session.ts'
import { removeSession } from '../branches/remove-session.ts'
import { rewindSession } from '../branches/rewind-session.ts'
import type { OperationContext } from '../runtime/operation-context.ts'
import type { SessionOperations } from '../session-service.ts'

export function createLifecycleOperations(context: OperationContext) {
  const { coordinator, apply, applied } = context
  return {
    async interrupt(sessionId, by) {
      const { running, events } = await apply(sessionId, { type: 'turn.interrupt', by })
      running.phase.abortTurn()
      return applied(running, events)
    },

    async cancel(sessionId, by) {
      const { running, events } = await apply(sessionId, { type: 'session.cancel', by })
      running.phase.abortTurn()
      const reply = applied(running, events)
      await coordinator.releaseIfClosed(running)
      return reply
    },

    async close(sessionId, by) {
      const { running, events } = await apply(sessionId, { type: 'session.close', by })
      await coordinator.releaseIfClosed(running)
      return applied(running, events)
    },

    async pause(sessionId, by) {
      const { running, events } = await apply(sessionId, { type: 'session.pause', by })
      if (running.writer.state().status === 'pausing') running.phase.abortTurn()
      return applied(running, events)
    },

    async resume(sessionId, by) {
      context.refuseWhileDraining()
      const continueMessageId = context.newMessageId()
      const { running, events } = await apply(sessionId, { type: 'session.resume', continueMessageId, by })
      coordinator.kick(running)
      return applied(running, events)
    },

    fork: (sessionId, { owner, ...body }, by, seed) =>
      forkSession(context, { sessionId, body, by, owner: owner ?? by, seed }),
    rewind: (sessionId, body, by) => rewindSession(context, { sessionId, body, by }),
    deleteSession: (sessionId, by) => removeSession(context, sessionId, by),
  } satisfies Partial<SessionOperations>
}
