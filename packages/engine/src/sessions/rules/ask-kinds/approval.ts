// Approvals: a person decides whether a tool call may run.
import {
  type ApprovalId,
  draft,
  formatApprovedCall,
  formatDeniedCall,
  formatRule,
  formatStoppedCall,
  type JsonObject,
  type OpenApproval,
  offeredRules,
  type PermissionRule,
  QuarterdeckError,
  type Unreported,
} from '@quarterdeck/protocol'
import { isSameCall } from '../../../permissions/calls/normalise-input.ts'
import type { AskStrategy } from './ask-strategy.ts'
import { checkEditedInput, checkEmptied } from './check-edited-input.ts'

export const stoppedCall = { type: 'deny', message: 'The turn was interrupted before a person decided.' } as const

export const approvalStrategy: AskStrategy<ApprovalId> = {
  noun: 'approval',
  status: 'waiting_approval',
  errors: { unknown: 'approval.not-found', settled: 'approval.already-decided' },
  expiredReply: { type: 'deny', message: 'No person answered in time.' },
  stoppedReply: stoppedCall,
  takenUp: (approvalId, call) => draft('ApprovalTakenUp', { approvalId, ...call }),
  expired: (approvalId) => draft('ApprovalExpired', { approvalId }),

  answered(request, { decision, input, rule, note, ...edited }, { by, wasLive }) {
    if (input !== null) requireFittingInput(request, input)
    const toolInput = decision === 'deny' ? null : (input ?? request.toolInput)
    const inputHash = input === null ? request.inputHash : edited.inputHash
    return draft('ApprovalDecided', {
      approvalId: request.approvalId,
      decision,
      toolInput,
      ...(toolInput === null || inputHash === undefined ? {} : { inputHash }),
      edited: toolInput !== null && !isSameCall(request, { ...request, toolInput }),
      note,
      by,
      rule: decision === 'allow_session' ? offeredRule(request, rule) : null,
      wasLive,
    })
  },

  reply({ decision, input, note }, by) {
    if (decision !== 'deny') return { type: 'allow', input }
    return { type: 'deny', message: `Denied by ${by}.${note === null ? '' : ` ${note}`}` }
  },

  settlement({ decided }, id) {
    const settled = decided.find(({ approvalId }) => approvalId === id)
    if (settled === undefined) return null
    const { decision, by, at } = settled
    const what = decision === 'expired' ? `expired at ${at}` : `was decided by ${by} at ${at}: ${decision}`
    return { what, facts: { decision, decidedBy: by, decidedAt: at } }
  },

  wakeLine(report) {
    const { isAllowed, toolName, toolInput, note } = report
    if (!isAllowed) return formatDeniedCall(toolName, toolInput, note)
    const format = mayHaveRun(report) ? formatStoppedCall : formatApprovedCall
    return format(toolName, toolInput) + (note === null ? '' : `\nNote from the person: ${note}`)
  },

  // An allowed call that was stopped may have run. A denied one has not.
  stopped: (report) => (report.isAllowed ? { ...report, mayHaveRun: true } : null),
}

export const mayHaveRun = (report: Unreported): boolean => report.type === 'decision' && report.mayHaveRun === true

/** An edited input must still be a call of the same tool. */
export function requireFittingInput(
  { toolName, toolInput }: Pick<OpenApproval, 'toolName' | 'toolInput'>,
  edited: JsonObject,
): void {
  const problem = checkEditedInput(toolInput, edited) ?? checkEmptied(toolName, toolInput, edited)
  if (problem !== null) throw new QuarterdeckError('request.invalid', problem)
}

/** Only rules that were shown to the person can be added. */
function offeredRule(request: OpenApproval, wanted: PermissionRule = request.sessionRule): PermissionRule {
  const rules = offeredRules(request).map(({ rule }) => rule)
  const found = rules.find(({ tool, pattern }) => tool === wanted.tool && pattern === wanted.pattern)
  if (found !== undefined) return found
  const detail = `rule: ${formatRule(wanted)} is not offered for this approval. Choose one of: ${rules.map(formatRule).join(', ')}`
  throw new QuarterdeckError('request.invalid', detail)
}
