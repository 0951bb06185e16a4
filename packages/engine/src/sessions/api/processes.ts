import { requireOpen } from '../rules/invariants.ts'
import type { OperationContext } from '../runtime/operation-context.ts'
import type { SessionOperations } from '../session-service.ts'

export function createProcessOperations({ agents, coordinator, applied }: OperationContext) {
  return {
    async wake(sessionId) {
      const { running, events } = await coordinator.wake(sessionId, 'intent')
      return applied(running, events)
    },
    warmAgent: async (name) => ({ isReady: await coordinator.warmAgent(name) }),
    queue: async () => coordinator.queue(),

    async capabilities(sessionId) {
      const running = await coordinator.open(sessionId)
      requireOpen(running.writer.state())
      const catalog = await agents.catalog(running.writer.state().agentName)
      const reported = await coordinator.useProcess(running, (session) => session.capabilities())
      // Only models with a known price: the CLI names others as well.
      return { ...reported, models: catalog.map(({ id, label }) => ({ id, label })) }
    },
  } satisfies Partial<SessionOperations>
}
