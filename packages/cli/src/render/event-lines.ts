// The log of `serve` in a terminal: one plain line for each event that its operator needs to see.
import { formatDuration, formatUsd, type SessionEvent, type SessionState, visibleText } from '@quarterdeck/protocol'
import { callTitle, shortLine } from './tool-line.ts'

/** `commandFor` returns a command as the operator runs it. */
export function createEventLines(write: (line: string) => void, commandFor: (command: string) => string) {
  return (state: SessionState, events: readonly SessionEvent[]): void => {
    for (const event of events) {
      const text = eventText(state, event, commandFor)
      if (text === null) continue
      const time = new Date(event.at).toTimeString().slice(0, 8)
      write(`${time} ${visibleText(state.agentName)} ${state.sessionId} ${text}`)
    }
  }
}

/** `null` for an event without a line. */
function eventText(
  { cwd, costUsd }: SessionState,
  { type, data }: SessionEvent,
  commandFor: (command: string) => string,
): string | null {
  switch (type) {
    case 'AgentSessionCreated':
      return 'session started'
    case 'ApprovalRequested':
      return `waiting for approval: ${callTitle(data, cwd)} (${commandFor(`sessions approve ${data.approvalId}`)})`
    case 'QuestionAsked':
      return `waiting for an answer (${commandFor(`sessions answer ${data.questionId} ANSWER`)})`
    case 'TurnEnded': {
      const facts = `${formatDuration(data.durationMs)}, ${formatUsd(costUsd)} so far`
      if (data.outcome === 'completed') return `turn finished: ${facts}`
      return `turn ${data.outcome}: ${shortLine(data.result.errorReason ?? data.outcome, 200)} (${facts})`
    }
    case 'AgentSessionCompleted':
      return 'session finished'
    case 'AgentSessionFailed':
      return `session failed: ${shortLine([data.reason, ...data.errors].join(': '), 200)}`
    default:
      return null
  }
}
