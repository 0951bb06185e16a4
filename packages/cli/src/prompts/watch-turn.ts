// Follows a session until it is idle: prints events and asks for decisions.
import type { Engine } from '@quarterdeck/engine'
import {
  askSettledBy,
  createSerialQueue,
  type EventOfType,
  isDurable,
  isQuarterdeckError,
  isUnfinishedStatus,
  type SessionEvent,
  type SessionId,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import type { TerminalAsker } from './terminal-asker.ts'

type Approval = EventOfType<'ApprovalRequested'>['data']
type Question = EventOfType<'QuestionAsked'>['data']

export interface Watching {
  readonly engine: Engine
  readonly sessionId: SessionId
  /** The last printed event. */
  readonly after: number
  /** Asks that were open before and are still unanswered. */
  readonly open?: { readonly approvals: readonly Approval[]; readonly questions: readonly Question[] }
  readonly onEvent: (event: StreamedEvent) => void
  /** `null` if there is no person to ask. */
  readonly asker: TerminalAsker | null
  readonly by: string
  readonly signal: AbortSignal
}

export interface Watched {
  readonly lastSeq: number
  readonly ended: EventOfType<'TurnEnded'> | null
}

/** Rejects when a decision could not be written. */
export async function watchTurn(watching: Watching): Promise<Watched> {
  const { engine, sessionId } = watching
  const asks = createAsks(watching)
  const signal = AbortSignal.any([watching.signal, asks.failed])
  let lastSeq = watching.after
  let ended: EventOfType<'TurnEnded'> | null = null
  for (const approval of watching.open?.approvals ?? []) asks.putApproval(approval)
  for (const question of watching.open?.questions ?? []) asks.putQuestion(question)
  try {
    for await (const event of engine.sessions.follow(sessionId, watching.after, signal)) {
      watching.onEvent(event)
      if (!isDurable(event)) continue
      lastSeq = event.seq
      if (event.type === 'TurnEnded') ended = event
      asks.receive(event)
      if (event.type === 'AgentSessionStatusChanged' && !isUnfinishedStatus(event.data.to)) break
    }
  } finally {
    await asks.close()
  }
  asks.failed.throwIfAborted()
  return { lastSeq, ended }
}

/** One ask at a time in the terminal, in order; none after one that failed. */
function createAsks({ engine, asker, by }: Watching) {
  const withdrawn = new Map<string, AbortController>()
  const failure = new AbortController()
  const runInOrder = createSerialQueue()

  async function decide(approval: Approval, signal: AbortSignal): Promise<void> {
    const decision = (await asker?.askApproval(approval, signal)) ?? null
    if (decision !== null) await engine.sessions.decideApproval(approval.approvalId, decision, by)
  }

  async function answer(question: Question, signal: AbortSignal): Promise<void> {
    const answered = (await asker?.askQuestion(question, signal)) ?? null
    if (answered !== null) await engine.sessions.answerQuestion(question.questionId, answered, by)
  }

  /** Asks until the answer is accepted, and prints why one is refused. */
  async function settle(ask: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (asker === null || signal.aborted || failure.signal.aborted) return
      try {
        await ask(signal)
        return
      } catch (error) {
        if (isOvertaken(error)) return
        if (!isQuarterdeckError(error, 'request.invalid')) throw error
        asker.showProblem(error.message)
      }
    }
  }

  function put(id: string, ask: (signal: AbortSignal) => Promise<void>): void {
    // An ask that was open at the start may also arrive in the stream.
    if (withdrawn.has(id)) return
    const controller = new AbortController()
    withdrawn.set(id, controller)
    void runInOrder(() => settle(ask, controller.signal).catch((error: unknown) => failure.abort(error)))
  }

  const putApproval = (approval: Approval) => put(approval.approvalId, (signal) => decide(approval, signal))
  const putQuestion = (question: Question) => put(question.questionId, (signal) => answer(question, signal))

  return {
    /** Aborted with the reason when a decision could not be written. */
    failed: failure.signal,
    putApproval,
    putQuestion,
    receive(event: SessionEvent) {
      if (event.type === 'ApprovalRequested') putApproval(event.data)
      else if (event.type === 'QuestionAsked') putQuestion(event.data)
      const settled = askSettledBy(event)
      if (settled !== null) withdrawn.get(settled)?.abort()
    },
    async close() {
      for (const controller of withdrawn.values()) controller.abort()
      // Waits for the ask that is open.
      await runInOrder(async () => undefined)
    },
  }
}

/** It was decided elsewhere, or the turn is being stopped; the log says who and why. */
const isOvertaken = (error: unknown): boolean =>
  isQuarterdeckError(error, 'approval.already-decided') ||
  isQuarterdeckError(error, 'question.already-answered') ||
  isQuarterdeckError(error, 'session.busy')
