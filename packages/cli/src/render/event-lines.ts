// What happens on a server, as one plain line for each event that a person at its terminal wants to know of.
import { formatDuration, formatUsd, type SessionEvent, type SessionState, visibleText } from '@quarterdeck/protocol'
import { shortLine, shortSubject, toolTitle } from './tool-line.ts'

export function createEventLines(write: (line: string) => void) {
  return (state: SessionState, events: readonly SessionEvent[]): void => {
    for (const event of events) {
      const told = eventLine(state, event)
      if (told === null) continue
      const time = new Date(event.at).toTimeString().slice(0, 8)
      write(`${time} ${visibleText(state.agentName)} ${state.sessionId} ${told}`)
    }
  }
}

/** `null` for an event that is not worth a line. */
function eventLine({ cwd, costUsd }: SessionState, { type, data }: SessionEvent): string | null {
  switch (type) {
    case 'AgentSessionCreated':
      return 'session started'
    case 'ApprovalRequested': {
      const call = `${toolTitle(data.toolName)} ${shortSubject(data.toolInput, cwd)}`.trim()
      return `waiting for approval: ${call} (quarterdeck sessions approve ${data.approvalId})`
    }
    case 'QuestionAsked':
      return `waiting for an answer (quarterdeck sessions answer ${data.questionId} ANSWER)`
    case 'TurnEnded': {
      const facts = `${formatDuration(data.durationMs)}, ${formatUsd(costUsd)} so far`
      if (data.outcome === 'completed') return `turn finished: ${facts}`
      return `turn ${data.outcome}: ${shortLine(data.result.errorReason ?? data.outcome, 200)} (${facts})`
    }
    case 'AgentSessionCompleted':
      return 'session finished'
    case 'AgentSessionFailed':
      return `error: ${shortLine([data.reason, ...data.errors].join(': '), 200)}`
    default:
      return null
  }
}
