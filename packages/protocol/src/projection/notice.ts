// What happened around the agent, in sentences for people: the same ones on a terminal and in the workbench.
import type { EventOfType, StreamedEvent } from '../events/session-event.ts'
import { formatDuration } from '../format/duration.ts'
import { formatLimit } from '../format/money.ts'

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
  readonly tone: 'info' | 'failed' | 'stopped' | 'interrupted'
  /** May hold text of a provider or a process: a terminal makes it visible first. */
  readonly text: string
}

/** `null` for events that are told in another way, or not at all. */
export function noticeOf(event: StreamedEvent): Notice | null {
  switch (event.type) {
    case 'ModelRequestRetrying': {
      const { attempt, maxRetries, delayMs, error } = event.data
      const wait = `Try ${attempt} of ${maxRetries} in ${formatDuration(delayMs)}.`
      return { kind: 'retry', tone: 'info', text: `The provider did not answer (${error}). ${wait}` }
    }
    case 'ModelFellBack': {
      const { from, to } = event.data
      return { kind: 'fallback', tone: 'info', text: `${from} was not available: ${to} goes on.` }
    }
    case 'ModelChanged':
      return { kind: 'model', tone: 'info', text: `Model changed to ${event.data.to}.` }
    case 'AgentContextCompacted': {
      const { trigger, preTokens } = event.data
      const before = `${preTokens.toLocaleString('en-US')} tokens before`
      return { kind: 'compaction', tone: 'info', text: `Context compacted (${trigger}), ${before}.` }
    }
    case 'BackendCrashed':
      return { kind: 'crash', tone: 'failed', text: crashedText(event) }
    case 'AgentSessionRecovered':
      return { kind: 'recovery', tone: 'interrupted', text: recoveredText(event) }
    case 'AgentSessionFailed':
      return { kind: 'failure', tone: 'failed', text: [event.data.reason, ...event.data.errors].join(': ') }
    case 'AgentSessionBudgetExceeded': {
      const text = `Out of budget: the limit is ${formatLimit(event.data.limitUsd)}.`
      return { kind: 'budget', tone: 'stopped', text }
    }
    case 'AgentSessionTurnLimitReached':
      return { kind: 'turns', tone: 'stopped', text: `Out of turns: the limit is ${event.data.limit}.` }
    case 'ApprovalUnused': {
      const text = 'The agent did not ask for the approved call again. The approval was not used.'
      return { kind: 'unused-approval', tone: 'info', text }
    }
    case 'SecurityNoticed':
      return { kind: 'security', tone: 'stopped', text: event.data.sentence }
    default:
      return null
  }
}

function crashedText({ data }: EventOfType<'BackendCrashed'>): string {
  const lastWords = data.stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
  const parts = ['The agent process stopped unexpectedly.', 'The next message starts it again.']
  return (lastWords === '' ? parts : [...parts, `Its last words: ${lastWords}`]).join(' ')
}

function recoveredText(event: EventOfType<'AgentSessionRecovered'>): string {
  const { interruptedTurn, outcomeUnknown, openApprovals } = event.data
  const parts = ['The server stopped and came back. Nothing was lost.']
  if (interruptedTurn) parts.push('The running turn was interrupted.')
  for (const tool of outcomeUnknown) parts.push(`${tool.toolName} was running: its outcome is unknown.`)
  if (openApprovals > 0) parts.push(`${openApprovals} approval${openApprovals === 1 ? ' is' : 's are'} still open.`)
  return parts.join(' ')
}
