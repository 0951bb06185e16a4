// The report of an answer that no process received: the agent gets it when it wakes.
import type { EventOfType, EventType } from '../../events/session-event.ts'
import type { Unreported, UnreportedDecision } from '../../events/unreported.ts'
import type { Ask } from './ask.ts'
import type { OpenApproval, OpenClientCall } from './session-state.ts'

/** The result of a call that no client answered. */
export const lateResult = { output: 'No client returned a result in time.', isError: true } as const

type Settling = { [Type in EventType]: { readonly type: Type; readonly data: EventOfType<Type>['data'] } }[EventType]

/** `null` if there is nothing to report, as when an approval or a question has expired. */
export function buildReport({ kind, request }: Ask, { type, data }: Settling): Unreported | null {
  if (kind === 'approval' && type === 'ApprovalDecided') return decisionOn(request, data)
  if (kind === 'question' && type === 'QuestionAnswered') {
    const { questionId, message, items, seq } = request
    return { type: 'answer', seq, questionId, message, items, answers: data.answers, note: data.note }
  }
  if (kind === 'client-call' && type === 'ClientToolReturned') return resultOf(request, data)
  return kind === 'client-call' && type === 'ClientToolExpired' ? resultOf(request, lateResult) : null
}

function decisionOn(request: OpenApproval, decided: EventOfType<'ApprovalDecided'>['data']): UnreportedDecision {
  const { toolInput, note, inputHash } = decided
  const { approvalId, toolName, seq } = request
  const call = {
    toolName,
    toolInput: toolInput ?? request.toolInput,
    ...(inputHash === undefined ? {} : { inputHash }),
  }
  return { type: 'decision', seq, approvalId, isAllowed: toolInput !== null, ...call, note }
}

function resultOf(call: OpenClientCall, returned: { readonly output: string; readonly isError: boolean }): Unreported {
  const { callId, toolName, toolInput, inputHash, seq } = call
  const { output, isError } = returned
  const made = { toolName, toolInput, ...(inputHash === undefined ? {} : { inputHash }) }
  return { type: 'result', seq, callId, ...made, output, isError }
}
