import { QuarterdeckError, ReturnClientCallBody, unreportedResult, wholeText } from '@quarterdeck/protocol'
import { handOverAnswer } from '../asks/hand-over-answer.ts'
import { requireSession } from '../rules/invariants.ts'
import type { OperationContext } from '../runtime/operation-context.ts'
import type { ClientOperations } from '../session-service.ts'

export function createClientOperations(context: OperationContext): ClientOperations {
  const { store, coordinator, apply, applied } = context
  return {
    async attachClient(sessionId, { clientId, tools }, by) {
      const { running, events } = await apply(sessionId, { type: 'client.attach', clientId, tools, by })
      if (events.length > 0) running.clientToolChanges.changed()
      return applied(running, events)
    },

    async detachClient(sessionId, clientId, by) {
      const { running, events } = await apply(sessionId, { type: 'client.detach', clientId, by })
      if (events.length > 0) running.clientToolChanges.changed()
      return applied(running, events)
    },

    async listClientCalls(sessionId) {
      return { calls: requireSession(await store.load(sessionId)).clientCalls }
    },

    async returnClientCall(callId, body, by) {
      const sessionId = await store.findAsk(callId)
      if (sessionId === null) throw new QuarterdeckError('client-call.not-found', `there is no client call ${callId}`)
      const { isError, ...returnedBody } = ReturnClientCallBody.parse(body)
      const output = wholeText(returnedBody.output)
      const running = await coordinator.open(sessionId)
      const events = await handOverAnswer(running, {
        waiters: running.clientCalls,
        id: callId,
        answer: { output, isError },
        command: (reception) => ({
          type: 'client-call.return',
          callId,
          output,
          isError,
          by,
          ...reception,
          wakeMessageId: context.newMessageId(),
        }),
        unreported(before, written) {
          const call = before.clientCalls.find((open) => open.callId === callId)
          const returned = written.find((event) => event.type === 'ClientToolReturned')
          return call && returned && unreportedResult(call, returned.data)
        },
      })
      coordinator.kick(running)
      return applied(running, events)
    },
  }
}
