// The parts of a session for a process that is started before there is one. Until they are bound nothing is let through.
import type { ClientToolbox } from '../backends/backend.ts'
import type { BackendParts } from '../sessions/session-parts.ts'

export interface LateParts {
  readonly parts: BackendParts
  /** From now on everything goes to the session that took the process; returns how to stop listening to it. */
  bind(real: BackendParts): () => void
}

const tooEarly = 'Nobody has taken this process yet.'

export function createLateParts(hooks: BackendParts['hooks']): LateParts {
  let bound: BackendParts | null = null
  const listeners = new Set<() => void>()

  const clientTools: ClientToolbox = {
    list: () => bound?.clientTools.list() ?? [],
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    call: async (call, signal) => (await bound?.clientTools.call(call, signal)) ?? { output: tooEarly, isError: true },
  }

  return {
    parts: {
      gate: {
        check: async (call) => (await bound?.gate.check(call)) ?? { type: 'deny', message: tooEarly },
        ask: async (...asked) => (await bound?.gate.ask(...asked)) ?? { type: 'deny', message: tooEarly },
      },
      questions: {
        ask: async (question, signal) =>
          (await bound?.questions.ask(question, signal)) ?? { type: 'declined', message: tooEarly },
      },
      clientTools,
      hooks: {
        // Asked when the process starts, when only what the whole house hears is known.
        isHeard: (event) => (bound?.hooks ?? hooks).isHeard(event),
        run: (event, input, signal) => (bound?.hooks ?? hooks).run(event, input, signal),
      },
    },
    bind(real) {
      bound = real
      const tell = () => {
        for (const listener of listeners) listener()
      }
      const unbind = real.clientTools.onChange(tell)
      if (real.clientTools.list().length > 0) tell()
      return unbind
    },
  }
}
