// The parts of a session for a process that is started before there is one. Until they are bound nothing is let through.
import type { ClientToolCaller } from '../../backends/backend.ts'
import type { AgentServices } from './agent-services.ts'

export interface DeferredAgentServices {
  readonly services: AgentServices
  /** From now on everything goes to the session that took the process; returns how to stop listening to it. */
  bind(real: AgentServices): () => void
}

const notBoundYet = 'Nobody has taken this process yet.'

export function createDeferredAgentServices(hooks: AgentServices['hooks']): DeferredAgentServices {
  let bound: AgentServices | null = null
  const listeners = new Set<() => void>()

  const clientTools: ClientToolCaller = {
    list: () => bound?.clientTools.list() ?? [],
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    call: async (call, signal) =>
      (await bound?.clientTools.call(call, signal)) ?? { output: notBoundYet, isError: true },
  }

  return {
    services: {
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
        // Asked when the process starts, when only what the whole house hears is known.
        hasListener: (event) => (bound?.hooks ?? hooks).hasListener(event),
        run: (event, input, signal) => (bound?.hooks ?? hooks).run(event, input, signal),
      },
    },
    bind(real) {
      bound = real
      const notifyListeners = () => {
        for (const listener of listeners) listener()
      }
      const unbind = real.clientTools.onChange(notifyListeners)
      if (real.clientTools.list().length > 0) notifyListeners()
      return unbind
    },
  }
}
