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

type Question = EventOfType<'ApprovalRequested'>['data']

export interface Watching {
  readonly engine: Engine
  readonly sessionId: SessionId
  /** The last event already printed. */
  readonly after: number
  /** Questions from before that nobody has answered yet. */
  readonly open?: readonly Question[]
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

/** Rejects with what went wrong when a person's decision could not be written: nobody would act on it. */
export async function watchTurn(watching: Watching): Promise<Watched> {
  const { engine, sessionId } = watching
  const questions = createQuestions(watching)
  const signal = AbortSignal.any([watching.signal, questions.failed])
  let lastSeq = watching.after
  let ended: EventOfType<'TurnEnded'> | null = null
  for (const question of watching.open ?? []) questions.put(question)
  try {
    for await (const event of engine.sessions.follow(sessionId, watching.after, signal)) {
      watching.onEvent(event)
      if (!isDurable(event)) continue
      lastSeq = event.seq
      if (event.type === 'TurnEnded') ended = event
      if (event.type === 'ApprovalRequested') questions.put(event.data)
      if (event.type === 'ApprovalDecided' || event.type === 'ApprovalExpired')
        questions.withdraw(event.data.approvalId)
      if (event.type === 'AgentSessionStatusChanged' && isAtRest(event)) break
    }
  } finally {
    await questions.close()
  }
  questions.failed.throwIfAborted()
  return { lastSeq, ended }
}

const isAtRest = ({ data }: EventOfType<'AgentSessionStatusChanged'>): boolean =>
  data.to !== 'queued' && !isBusyStatus(data.to)

/** One question at a time on the terminal, in the order they were asked; none after one that failed. */
function createQuestions({ engine, asker, by }: Watching) {
  const withdrawn = new Map<string, AbortController>()
  const failure = new AbortController()
  let last: Promise<void> = Promise.resolve()

  async function ask(question: Question, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (asker === null || signal.aborted || failure.signal.aborted) return
      const decision = await asker.ask(question, signal)
      if (decision === null) return
      try {
        await engine.sessions.decide(question.approvalId, decision, by)
        return
      } catch (error) {
        if (isOvertaken(error)) return
        // What was edited does not fit the call, and the person still sits there.
        if (!isQuarterdeckError(error, 'request.invalid')) throw error
        asker.tell(error.message)
      }
    }
  }

  return {
    /** Aborted, with the reason, when a decision could not be written. */
    failed: failure.signal,
    put(question: Question) {
      // One that was open at the start may also come along in the stream.
      if (withdrawn.has(question.approvalId)) return
      const controller = new AbortController()
      withdrawn.set(question.approvalId, controller)
      last = last.then(() => ask(question, controller.signal)).catch((error: unknown) => failure.abort(error))
    },
    withdraw: (approvalId: string) => withdrawn.get(approvalId)?.abort(),
    async close() {
      for (const controller of withdrawn.values()) controller.abort()
      await last
    },
  }
}

/** Somebody else was faster, or the turn that asked is being stopped; the log says who and why. */
const isOvertaken = (error: unknown): boolean =>
  isQuarterdeckError(error, 'approval.already-decided') || isQuarterdeckError(error, 'session.busy')
