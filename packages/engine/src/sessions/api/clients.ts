import { requireSession } from '../rules/invariants.ts'
import type { OperationContext } from '../runtime/operation-context.ts'
import type { SessionOperations } from '../session-service.ts'

export function createClientOperations(context: OperationContext) {
  const { store, coordinator, answer, apply, applied } = context
  return {
    async attachClient(sessionId, { clientId, tools }, by) {
      const { running, events } = await apply(sessionId, { type: 'client.attach', clientId, tools, by })
      if (events.length > 0) running.clientToolChanges.emit()
      return applied(running, events)
    },

    async detachClient(sessionId, clientId, by) {
      const { running, events } = await apply(sessionId, { type: 'client.detach', clientId, by })
      if (events.length > 0) running.clientToolChanges.emit()
      return applied(running, events)
    },

    async listClientCalls(sessionId) {
      return { calls: requireSession(await store.load(sessionId), sessionId).clientCalls }
    },

    async returnClientCall(callId, { output, isError }, by) {
      const result = { output: output.toWellFormed(), isError }
      const { running, events } = await answer(callId, by, () => result)
      coordinator.kick(running)
      return applied(running, events)
    },
  } satisfies Partial<SessionOperations>
}
