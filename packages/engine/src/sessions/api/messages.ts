import { QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import type { EventStore } from '../../store/ports/event-store.ts'
import { requireOpen, requireSession } from '../rules/invariants.ts'
import type { OperationContext } from '../runtime/operation-context.ts'
import type { SessionOperations } from '../session-service.ts'
import { readLog } from '../streaming/read-log.ts'
import { steerWaiting } from '../turns/steer-waiting.ts'

export function createMessageOperations(context: OperationContext) {
  const { store, coordinator, apply, applied } = context
  return {
    async sendMessage(sessionId, message, by, seed) {
      context.refuseWhileDraining()
      const { reply, messageId } = await context.queue(await coordinator.open(sessionId), { ...message, seed }, by)
      return { ...reply, messageId }
    },

    async listMessages(sessionId) {
      return { messages: requireSession(await store.load(sessionId), sessionId).queued }
    },

    async editMessage(sessionId, messageId, { content }, by) {
      const command = { type: 'message.edit', messageId, content: content.toWellFormed(), by } as const
      const { running, events } = await apply(sessionId, command)
      return applied(running, events)
    },

    async cancelMessage(sessionId, messageId, by) {
      const { running, events } = await apply(sessionId, { type: 'message.cancel', messageId, by })
      return applied(running, events)
    },

    async promoteMessage(sessionId, messageId, { delivery } = {}, by) {
      const { running, events } = await apply(sessionId, { type: 'message.promote', messageId, delivery, by })
      if (delivery === 'immediate') await steerWaiting(running, context.logger)
      return applied(running, events)
    },

    async messageSubagent(sessionId, agentId, { content }, by, seed) {
      context.refuseWhileDraining()
      const running = await coordinator.open(sessionId)
      requireOpen(running.writer.state())
      if (!(await hasStartedSubagent(store, sessionId, agentId))) {
        throw new QuarterdeckError('subagent.not-found', `session ${sessionId} has no subagent ${agentId}`)
      }
      const { reply } = await context.queue(running, { content: forSubagent(agentId, content), seed }, by)
      return reply
    },
  } satisfies Partial<SessionOperations>
}

/** Only the lead agent can wake a subagent with its memory, so the message goes to the lead with instructions. */
const forSubagent = (agentId: string, content: string): string =>
  [
    `A person has a message for your subagent ${agentId}. Call SendMessage once, with to "${agentId}" and everything`,
    'below this paragraph, word for word, as the message. Then tell what the subagent answered. Do nothing else.',
    '',
    content,
  ].join('\n')

async function hasStartedSubagent(
  store: Pick<EventStore, 'read'>,
  sessionId: SessionId,
  agentId: string,
): Promise<boolean> {
  for await (const event of readLog(store, sessionId)) {
    if (event.type === 'SubagentStarted' && event.data.agentId === agentId) return true
  }
  return false
}
