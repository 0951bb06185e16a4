// Sentences for people about events around the agent: the same ones on a terminal and in the workbench.

import { formatRule } from '../access/tool-permissions.ts'
import type { EventOfType, StreamedEvent } from '../events/session-event.ts'
import { formatCount } from '../format/count.ts'
import { formatDuration } from '../format/duration.ts'
import { formatLimit, formatSpentOfLimit, formatUnits, formatUsd } from '../format/money.ts'

type NoticeKind =
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

type Tone = 'info' | 'failed' | 'stopped' | 'interrupted'

export interface Notice {
  readonly kind: NoticeKind
  readonly tone: Tone
  /** May contain text of a provider or a process: a terminal makes hidden characters visible first. */
  readonly text: string
}

const notice = (kind: NoticeKind, text: string, tone: Tone = 'info'): Notice => ({ kind, tone, text })

/** `null` for events that are shown in another way, or not at all. */
export function noticeOf(event: StreamedEvent): Notice | null {
  switch (event.type) {
    case 'ModelRequestRetrying': {
      const { attempt, maxRetries, delayMs, error } = event.data
      const wait = `Try ${attempt} of ${maxRetries} in ${formatDuration(delayMs)}.`
      return notice('retry', `The provider did not answer (${error}). ${wait}`)
    }
    case 'ModelFellBack':
      return notice('fallback', `${event.data.from} was not available. ${event.data.to} continues.`)
    case 'ModelChanged':
      return notice('model', `Model changed to ${event.data.to}.`)
    case 'AgentContextCompacted': {
      const { trigger, preTokens } = event.data
      return notice('compaction', `Context compacted (${trigger}), ${formatTokens(preTokens)} before.`)
    }
    case 'BackendCrashed':
      return notice('crash', crashedText(event), 'failed')
    case 'AgentSessionRecovered':
      return notice('recovery', recoveredText(event), 'interrupted')
    case 'AgentSessionFailed':
      return notice('failure', [event.data.reason, ...event.data.errors].join(': '), 'failed')
    case 'AgentSessionBudgetExceeded':
      return notice('budget', outOfBudgetText(event), 'stopped')
    case 'AgentSessionTurnLimitReached':
      return notice('turns', `Out of turns: the limit is ${event.data.limit}.`, 'stopped')
    case 'ApprovalUnused': {
      const text = 'The agent did not ask for the approved call again. The approval was not used.'
      return notice('unused-approval', text)
    }
    case 'PermissionModeChanged':
      return notice('mode', `Permission mode changed to ${event.data.to} by ${event.data.by}.`)
    case 'ThinkingChanged': {
      const { to } = event.data
      return notice(
        'thinking',
        to === null ? 'Thinking is off.' : `Thinking is on, up to ${formatTokens(to.budgetTokens)}.`,
      )
    }
    case 'ContextNearingLimit': {
      const { usedTokens, contextWindow } = event.data
      const percent = Math.round((100 * usedTokens) / contextWindow)
      return notice('context', `${percent} % of the context window is used.`)
    }
    case 'AgentSessionForked':
      return notice('fork', `${event.data.by} forked this session: ${event.data.toSessionId}.`)
    case 'AgentSessionRewound':
      return notice('rewind', `${event.data.by} rewound the conversation to an earlier message.`)
    case 'FilesRewound':
      return notice('files', filesRewoundText(event))
    case 'SessionRuleRevoked':
      return notice('rule', `${event.data.by} removed the rule ${formatRule(event.data.rule)}.`)
    case 'BudgetWarning': {
      const { unit, budget } = event.data
      const verb = unit === 'usd' ? 'is' : 'are'
      return notice('budget', `${formatSpentOfLimit(event.data)} of the budget (${budget}) ${verb} used.`)
    }
    case 'BudgetChanged':
      return notice('budget', `${event.data.by} changed the limits: ${changedLimits(event.data).join(', ')}.`)
    case 'CostDrifted': {
      const { reportedUsd, bookedUsd } = event.data
      const text = `The backend reports ${formatUsd(reportedUsd)} for this turn; the ledger has ${formatUsd(bookedUsd)}.`
      return notice('cost', text)
    }
    case 'SecurityNoticed':
      return notice('security', event.data.sentence, 'stopped')
    default:
      return null
  }
}

function changedLimits({ from, to }: EventOfType<'BudgetChanged'>['data']): readonly string[] {
  const lines = [
    [formatLimit(from.maxBudgetUsd), formatLimit(to.maxBudgetUsd)],
    [`${from.maxTurns} turns`, `${to.maxTurns} turns`],
    [formatDuration(from.maxDurationMs), formatDuration(to.maxDurationMs)],
  ]
  return lines.filter(([before, after]) => before !== after).map(([before, after]) => `${after} (was ${before})`)
}

function crashedText({ data }: EventOfType<'BackendCrashed'>): string {
  const endReason = data.stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
  const parts = ['The agent process stopped unexpectedly.', 'The next message starts it again.']
  return (endReason === '' ? parts : [...parts, `Last output: ${endReason}`]).join(' ')
}

function recoveredText(event: EventOfType<'AgentSessionRecovered'>): string {
  const { interruptedTurn, outcomeUnknown, openApprovals } = event.data
  const parts = ['The server restarted and recovered this session from the log.']
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
