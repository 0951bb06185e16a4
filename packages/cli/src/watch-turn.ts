// Follows a session until it rests: prints what happens, asks what needs a person.
import type { Engine } from '@quarterdeck/engine'
import {
  type EventOfType,
  isBusyStatus,
  isDurable,
  isQuarterdeckError,
  type SessionId,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import type { Asker } from './ask-approval.ts'

export interface Watching {
  readonly engine: Engine
  readonly sessionId: SessionId
  /** The last event already printed. */
  readonly after: number
  readonly onEvent: (event: StreamedEvent) => void
  /** `null` where nobody can be asked. */
  readonly asker: Asker | null
  readonly by: string
  readonly signal: AbortSignal
}

export interface Watched {
  readonly lastSeq: number
  readonly ended: EventOfType<'TurnEnded'> | null
}

export async function watchTurn(watching: Watching): Promise<Watched> {
  const { engine, sessionId } = watching
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  watching.signal.addEventListener('abort', leave)
  const questions = createQuestions(watching)
  let lastSeq = watching.after
  let ended: EventOfType<'TurnEnded'> | null = null
  try {
    for await (const event of engine.sessions.follow(sessionId, watching.after, leaving.signal)) {
      watching.onEvent(event)
      if (!isDurable(event)) continue
      lastSeq = event.seq
      if (event.type === 'TurnEnded') ended = event
      if (event.type === 'ApprovalRequested') questions.put(event)
      if (event.type === 'ApprovalDecided' || event.type === 'ApprovalExpired')
        questions.withdraw(event.data.approvalId)
      if (event.type === 'AgentSessionStatusChanged' && isAtRest(event)) break
    }
  } finally {
    watching.signal.removeEventListener('abort', leave)
    questions.close()
  }
  return { lastSeq, ended }
}

const isAtRest = ({ data }: EventOfType<'AgentSessionStatusChanged'>): boolean =>
  data.to !== 'queued' && !isBusyStatus(data.to)

/** One question at a time on the terminal, in the order they were asked. */
function createQuestions({ engine, asker, by }: Watching) {
  const withdrawn = new Map<string, AbortController>()
  let last: Promise<void> = Promise.resolve()

  async function ask(event: EventOfType<'ApprovalRequested'>, signal: AbortSignal): Promise<void> {
    if (asker === null || signal.aborted) return
    const decision = await asker.ask(event.data, signal)
    if (decision === null) return
    try {
      await engine.sessions.decide(event.data.approvalId, decision, by)
    } catch (error) {
      // Somebody else was faster; the log says who.
      if (!isQuarterdeckError(error, 'approval.already-decided')) throw error
    }
  }

  return {
    put(event: EventOfType<'ApprovalRequested'>) {
      const controller = new AbortController()
      withdrawn.set(event.data.approvalId, controller)
      last = last.then(() => ask(event, controller.signal))
    },
    withdraw: (approvalId: string) => withdrawn.get(approvalId)?.abort(),
    close: () => {
      for (const controller of withdrawn.values()) controller.abort()
    },
  }
}
