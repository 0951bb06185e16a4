import type { Coordinator } from '../runtime/coordinator.ts'
import type { ProcessOperations } from '../session-service.ts'

export function createProcessOperations(coordinator: Coordinator): ProcessOperations {
  return {
    async wake(sessionId) {
      const { running, events } = await coordinator.wake(sessionId, 'intent')
      return { sessionId, appliedSeq: events.at(-1)?.seq ?? running.writer.state().seq }
    },
    warm: coordinator.warmAgent,
    queue: async () => coordinator.queue(),
  }
}
