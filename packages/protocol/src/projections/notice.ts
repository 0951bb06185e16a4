// Sentences for people about events around the agent: the same ones on a terminal and in the workbench.

import { formatRule } from '../access/tool-permissions.ts'
import type { EventOfType, StreamedEvent } from '../events/session-event.ts'
import { formatCount } from '../format/count.ts'
import { formatDuration } from '../format/duration.ts'
import { formatLimit, formatSpentOfLimit, formatUnits, formatUsd } from '../format/money.ts'

export interface Notice {
  readonly kind:
    | 'retry'
    | 'fallback'
    | 'model'
    | 'compaction'
    | 'crash'
    | 'recovery'
    | 'failure'
    | 'budget'
    | 'turns'
    | 'unused-approval'
    | 'security'
    | 'mode'
    | 'thinking'
    | 'context'
    | 'fork'
    | 'rewind'
    | 'files'
    | 'rule'
    | 'cost'
  readonly tone: 'info' | 'failed' | 'stopped' | 'interrupted'
  /** May contain text of a provider or a process: a terminal makes hidden characters visible first. */
  readonly text: string
}

/** `null` for events that are shown in another way, or not at all. */
export function noticeOf(event: StreamedEvent): Notice | null {
  switch (event.type) {
    case 'ModelRequestRetrying': {
      const { attempt, maxRetries, delayMs, error } = event.data
      const wait = `Try ${attempt} of ${maxRetries} in ${formatDuration(delayMs)}.`
      return { kind: 'retry', tone: 'info', text: `The provider did not answer (${error}). ${wait}` }
    }
    case 'ModelFellBack': {
      const { from, to } = event.data
      return { kind: 'fallback', tone: 'info', text: `${from} was not available. ${to} continues.` }
    }
    case 'ModelChanged':
      return { kind: 'model', tone: 'info', text: `Model changed to ${event.data.to}.` }
    case 'AgentContextCompacted': {
      const { trigger, preTokens } = event.data
      const before = `${formatTokens(preTokens)} before`
      return { kind: 'compaction', tone: 'info', text: `Context compacted (${trigger}), ${before}.` }
    }
    case 'BackendCrashed':
      return { kind: 'crash', tone: 'failed', text: crashedText(event) }
    case 'AgentSessionRecovered':
      return { kind: 'recovery', tone: 'interrupted', text: recoveredText(event) }
    case 'AgentSessionFailed':
      return { kind: 'failure', tone: 'failed', text: [event.data.reason, ...event.data.errors].join(': ') }
    case 'AgentSessionBudgetExceeded':
      return { kind: 'budget', tone: 'stopped', text: outOfBudgetText(event) }
    case 'AgentSessionTurnLimitReached':
      return { kind: 'turns', tone: 'stopped', text: `Out of turns: the limit is ${event.data.limit}.` }
    case 'ApprovalUnused': {
      const text = 'The agent did not ask for the approved call again. The approval was not used.'
      return { kind: 'unused-approval', tone: 'info', text }
    }
    case 'PermissionModeChanged':
      return { kind: 'mode', tone: 'info', text: `Permission mode changed to ${event.data.to} by ${event.data.by}.` }
    case 'ThinkingChanged': {
      const { to } = event.data
      const text = to === null ? 'Thinking is off.' : `Thinking is on, up to ${formatTokens(to.budgetTokens)}.`
      return { kind: 'thinking', tone: 'info', text }
    }
    case 'ContextNearingLimit': {
      const { usedTokens, contextWindow } = event.data
      const percent = Math.round((100 * usedTokens) / contextWindow)
      return { kind: 'context', tone: 'info', text: `${percent} % of the context window is used.` }
    }
    case 'AgentSessionForked':
      return { kind: 'fork', tone: 'info', text: `${event.data.by} forked this session: ${event.data.toSessionId}.` }
    case 'AgentSessionRewound':
      return { kind: 'rewind', tone: 'info', text: `${event.data.by} rewound the conversation to an earlier message.` }
    case 'FilesRewound':
      return { kind: 'files', tone: 'info', text: filesRewoundText(event) }
    case 'SessionRuleRevoked': {
      const text = `${event.data.by} removed the rule ${formatRule(event.data.rule)}.`
      return { kind: 'rule', tone: 'info', text }
    }
    case 'BudgetWarning': {
      const text = `${formatSpentOfLimit(event.data)} of the budget (${event.data.budget}) is used.`
      return { kind: 'budget', tone: 'info', text }
    }
    case 'BudgetChanged': {
      const { from, to, by } = event.data
      const text = `${by} changed the limits: ${formatLimit(to.maxBudgetUsd)} (was ${formatLimit(from.maxBudgetUsd)}).`
      return { kind: 'budget', tone: 'info', text }
    }
    case 'CostDrifted': {
      const { reportedUsd, bookedUsd } = event.data
      const text = `The backend reports ${formatUsd(reportedUsd)} for this turn; the ledger has ${formatUsd(bookedUsd)}.`
      return { kind: 'cost', tone: 'info', text }
    }
    case 'SecurityNoticed':
      return { kind: 'security', tone: 'stopped', text: event.data.sentence }
    default:
      return null
  }
}

function crashedText({ data }: EventOfType<'BackendCrashed'>): string {
  const endReason = data.stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
  const parts = ['The agent process stopped unexpectedly.', 'The next message starts it again.']
  return (endReason === '' ? parts : [...parts, `Last output: ${endReason}`]).join(' ')
}

function recoveredText(event: EventOfType<'AgentSessionRecovered'>): string {
  const { interruptedTurn, outcomeUnknown, openApprovals } = event.data
  const parts = ['The server stopped and came back. Nothing was lost.']
  if (interruptedTurn) parts.push('The running turn was interrupted.')
  for (const tool of outcomeUnknown) parts.push(`${tool.toolName} was running: its outcome is unknown.`)
  if (openApprovals > 0) parts.push(`${openApprovals} approval${openApprovals === 1 ? ' is' : 's are'} still open.`)
  return parts.join(' ')
}

const formatTokens = (tokens: number): string => `${formatCount(tokens)} tokens`

function filesRewoundText({ data }: EventOfType<'FilesRewound'>): string {
  const { by, restored, notRestored } = data
  const files = (count: number) => `${count} file${count === 1 ? '' : 's'}`
  const left =
    notRestored.length === 0 ? '' : ` ${files(notRestored.length)} changed since then and could not be restored.`
  return `${by} restored ${files(restored.length)}.${left}`
}

/** Old logs have no sums for another budget: then the amount is unknown here. */
function outOfBudgetText({ data: { limitUsd, budget, sum } }: EventOfType<'AgentSessionBudgetExceeded'>): string {
  if (budget === undefined) return `Out of budget: the limit is ${formatLimit(limitUsd)}.`
  if (sum === undefined) return `Out of budget: the limit of ${budget} is reached.`
  const limit = sum.unit === 'usd' ? formatLimit(sum.limit) : formatUnits(sum.limit)
  return `Out of budget: the limit of ${budget} is ${limit}.`
}
