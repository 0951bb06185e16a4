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

/** The field that a call acts on. Without it the tool would refuse long after the person has edited. */
const indispensable: readonly string[] = ['command', 'file_path', 'notebook_path']

/**
 * Checks whether an edited input can replace the requested one. Returns the first problem, or `null`. Fields may be
 * added and left out; a field that stays must keep its type.
 */
export function checkEditedInput(original: JsonObject, edited: JsonObject): string | null {
  for (const [name, before] of Object.entries(original)) {
    const after = Object.hasOwn(edited, name) ? edited[name] : undefined
    if (indispensable.includes(name) && isFilled(before) && !isFilled(after)) {
      return `input.${name}: must be a non-empty text, as in the requested call`
    }
    if (after === undefined || before === null || kindOf(after) === kindOf(before)) continue
    return `input.${name}: must be ${kindOf(before)} as in the requested call, not ${kindOf(after)}`
  }
  return null
}

/** The backend's own tools cannot run with an empty input. Returns the problem, or `null`. */
export function checkEmptied(toolName: string, original: JsonObject, edited: JsonObject): string | null {
  const isEmptied = Object.keys(edited).length === 0 && Object.keys(original).length > 0
  return isEmptied && !toolName.startsWith('mcp__') ? `input: ${toolName} cannot be run with an empty input` : null
}

const isFilled = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}
