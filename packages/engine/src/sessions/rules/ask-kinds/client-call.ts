// Calls of tools that clients run.
import { type ClientCallId, draft, formatResult, lateResult } from '@quarterdeck/protocol'
import { clientToolName } from '../../../tool-names/client-tool-names.ts'
import type { AskStrategy } from './ask-strategy.ts'

export const clientCallStrategy: AskStrategy<ClientCallId> = {
  noun: 'client call',
  status: 'waiting_client',
  errors: { unknown: 'client-call.not-found', settled: 'client-call.already-returned' },
  expiredReply: lateResult,
  stoppedReply: { output: 'The turn was interrupted before a client returned a result.', isError: true },
  takenUp: (callId, call) => draft('ClientToolTakenUp', { callId, ...call }),
  expired: (callId) => draft('ClientToolExpired', { callId }),
  answered: ({ callId }, { output, isError }, given) =>
    draft('ClientToolReturned', { callId, output, isError, ...given }),
  reply: (answer) => answer,

  settlement(state, id) {
    const settled = state.settled.find((one) => one.id === id)
    if (settled === undefined) return null
    const { how, by, at } = settled
    const what = how === 'expired' ? `expired at ${at}` : `was answered by ${by} at ${at}`
    return { what, facts: { how, returnedBy: by, returnedAt: at } }
  },

  wakeLine: ({ toolName, toolInput, output, isError }) =>
    formatResult({ tool: clientToolName(toolName), input: toolInput, output, isError }),

  stopped: (report) => report,
}
