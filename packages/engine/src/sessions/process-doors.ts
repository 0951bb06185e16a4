import type { Coordinator } from './coordinator.ts'
import type { ProcessDoors } from './session-service.ts'

export function createProcessDoors(coordinator: Coordinator): ProcessDoors {
  return {
    async wake(sessionId) {
      const { live, events } = await coordinator.wake(sessionId, 'intent')
      return { sessionId, appliedSeq: events.at(-1)?.seq ?? live.writer.state().seq }
    },
    warm: coordinator.warmAgent,
    queue: async () => coordinator.queue(),
  }
}
