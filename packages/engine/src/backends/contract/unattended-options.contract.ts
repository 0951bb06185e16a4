// Session options without approvals, answers, hooks or further tools.

import type { HostToolbox } from '../../ports/host-toolbox.ts'
import type { QuestionAsker } from '../../ports/question-asker.ts'
import type { ClientToolCaller, HookPoints, SessionOptions } from '../backend.ts'

const questions: QuestionAsker = { ask: async () => ({ type: 'declined', message: 'nobody is there' }) }

const clientTools: ClientToolCaller = {
  list: () => [],
  onChange: () => () => undefined,
  call: async () => ({ output: 'no client is there', isError: true }),
}

export const noHostTools: HostToolbox = {
  list: () => [],
  onChange: () => () => undefined,
  servers: () => [],
  onServer: () => () => undefined,
  call: async ({ toolName }) => ({ output: `there is no ${toolName}`, isError: true }),
}

const hooks: HookPoints = { hasListener: () => false, run: async () => ({}) }

export const unattendedOptions = {
  thinking: null,
  subagentModel: null,
  questions,
  clientTools,
  hostTools: noHostTools,
  hooks,
} satisfies Partial<SessionOptions>
