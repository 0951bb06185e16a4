// Surroundings in which nobody answers, no client brings tools and no hook listens.
import type { ClientToolbox, HookPoints, PersonAsker, SessionOptions } from './backend.ts'

const questions: PersonAsker = { ask: async () => ({ type: 'declined', message: 'nobody is there' }) }

const clientTools: ClientToolbox = {
  list: () => [],
  onChange: () => () => undefined,
  call: async () => ({ output: 'no client is there', isError: true }),
}

const hooks: HookPoints = { isHeard: () => false, run: async () => ({}) }

export const nobodyThere = {
  thinking: null,
  subagentModel: null,
  questions,
  clientTools,
  hooks,
} satisfies Partial<SessionOptions>
