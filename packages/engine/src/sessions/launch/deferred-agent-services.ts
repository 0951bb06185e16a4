// The services of a process that starts before its session exists. Until they are bound, no tool call is let through.
import { createEmitter } from '@quarterdeck/protocol'
import type { ClientToolCaller } from '../../backends/backend.ts'
import type { AgentServices } from './agent-services.ts'

export type DeferredAgentServices = ReturnType<typeof createDeferredAgentServices>

const notBoundYet = 'No session has taken this process yet.'

export function createDeferredAgentServices(hooks: AgentServices['hooks']) {
  let bound: AgentServices | null = null
  const changes = createEmitter()

  const clientTools: ClientToolCaller = {
    list: () => bound?.clientTools.list() ?? [],
    onChange: changes.listen,
    call: async (call, signal) =>
      (await bound?.clientTools.call(call, signal)) ?? { output: notBoundYet, isError: true },
  }

  const services: AgentServices = {
    gate: {
      check: async (call) => (await bound?.gate.check(call)) ?? { type: 'deny', message: notBoundYet },
      ask: async (...asked) => (await bound?.gate.ask(...asked)) ?? { type: 'deny', message: notBoundYet },
    },
    questions: {
      ask: async (question, signal) =>
        (await bound?.questions.ask(question, signal)) ?? { type: 'declined', message: notBoundYet },
    },
    clientTools,
    hooks: {
      // The process reads it when it starts, when only the engine's own hooks are known.
      hasListener: (event) => (bound?.hooks ?? hooks).hasListener(event),
      run: (event, input, signal) => (bound?.hooks ?? hooks).run(event, input, signal),
    },
  }

  return {
    services,
    /** Binds the services to the session that took the process. Returns the unsubscribe function. */
    bind(real: AgentServices): () => void {
      bound = real
      const unbind = real.clientTools.onChange(changes.emit)
      if (real.clientTools.list().length > 0) changes.emit()
      return unbind
    },
  }
}
