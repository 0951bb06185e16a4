// The pending waits for answers in this process. The asks themselves are in the log and survive this process.
import type { ApprovalId, ClientCallId, JsonObject, QuestionId, Unreported } from '@quarterdeck/protocol'
import type { ClientToolCaller } from '../../backends/backend.ts'
import type { QuestionReply } from '../../ports/question-asker.ts'

export interface AskWaiters<Id, Answer> {
  /** Resolves with the answer, or with the aborted answer when the turn is stopped first. */
  wait(id: Id, asked: AskedIn): Promise<Answer>
  isWaiting(id: Id): boolean
  /**
   * Call before an answer is logged. True if a process waits for it and its turn is not being stopped. The answer then
   * counts as missed until the process has received it, or until `unclaim`.
   */
  claim(id: Id): boolean
  unclaim(id: Id): void
  /** `unreported`: what the agent must be told if it misses this answer. */
  answer(id: Id, answer: Answer, unreported?: Unreported): void
  isClaimed(): boolean
  /** The call continues with an earlier answer: its outcome is unknown until it has a result. */
  markReceived(toolUseId: string, unreported: Unreported): void
  /** Call before a received answer is used. False if the turn is being stopped: the answer then counts as missed. */
  mayUse(toolUseId: string, signal: AbortSignal): boolean
  /** The call has its result, or will not be made. */
  settle(toolUseId: string): void
  /** After the end of a turn: the answers that were logged for it and that it never received. Each is returned once. */
  missed(): readonly Unreported[]
  /** After the end of a turn: the answers it received for calls that have no result. Each is returned once. */
  unsettled(): readonly Unreported[]
}

export interface AskedIn {
  readonly signal: AbortSignal
  /** The call that continues with the answer; `null` for none. */
  readonly toolUseId: string | null
}

export interface WaitHooks {
  readonly onWait: () => void
  readonly onAnswer: () => void
  /** Resolves when the turn may continue. */
  readonly over: () => Promise<void>
  /** The turn is being stopped: no answer reaches it any more. */
  readonly isStopping: () => boolean
}

function createAskWaiters<Id, Answer>(hooks: WaitHooks, aborted: Answer): AskWaiters<Id, Answer> {
  const waiting = new Map<Id, (answer: Answer) => void>()
  const claimed = new Map<Id, Unreported | null>()
  const received = new Map<string, Unreported>()
  const tooLate: Unreported[] = []
  return {
    wait(id, { signal, toolUseId }) {
      hooks.onWait()
      return new Promise((resolve, reject) => {
        const settle = (answer: Answer) => {
          waiting.delete(id)
          signal.removeEventListener('abort', give)
          hooks.onAnswer()
          hooks.over().then(() => {
            const isReceived = !signal.aborted && !hooks.isStopping()
            const unreported = claimed.get(id) ?? null
            if (isReceived) claimed.delete(id)
            if (isReceived && unreported !== null && toolUseId !== null) received.set(toolUseId, unreported)
            resolve(isReceived ? answer : aborted)
          }, reject)
        }
        const give = () => settle(aborted)
        waiting.set(id, settle)
        if (signal.aborted) give()
        else signal.addEventListener('abort', give)
      })
    },
    isWaiting: (id) => waiting.has(id),
    claim(id) {
      if (!waiting.has(id) || hooks.isStopping()) return false
      claimed.set(id, null)
      return true
    },
    unclaim: (id) => claimed.delete(id),
    answer(id, answer, unreported) {
      if (unreported !== undefined && claimed.has(id)) claimed.set(id, unreported)
      waiting.get(id)?.(answer)
    },
    isClaimed: () => claimed.size > 0,
    markReceived: (toolUseId, unreported) => void received.set(toolUseId, unreported),
    mayUse(toolUseId, signal) {
      if (!signal.aborted && !hooks.isStopping()) return true
      const unreported = received.get(toolUseId)
      received.delete(toolUseId)
      if (unreported !== undefined) tooLate.push(unreported)
      return false
    },
    settle: (toolUseId) => void received.delete(toolUseId),
    missed() {
      const missed = [...[...claimed.values()].filter((unreported) => unreported !== null), ...tooLate.splice(0)]
      claimed.clear()
      return missed
    },
    unsettled() {
      const unsettled = [...received.values()]
      received.clear()
      return unsettled
    },
  }
}

/** Waits before it writes, so that no answer can be too fast. `giveUp` ends the wait if the answer is known. */
export async function waitWhile<Id, Answer>(
  waiters: AskWaiters<Id, Answer>,
  { id, signal, toolUseId }: AskedIn & { readonly id: Id },
  write: () => Promise<unknown>,
): Promise<{ readonly answer: Promise<Answer>; giveUp(): Promise<void> }> {
  const given = new AbortController()
  const answer = waiters.wait(id, { signal: AbortSignal.any([signal, given.signal]), toolUseId })
  try {
    await write()
  } catch (error) {
    given.abort()
    throw error
  }
  return {
    answer,
    async giveUp() {
      given.abort()
      await answer
    },
  }
}

/** `input: null` lets the call run as it was asked for. */
export type ApprovalAnswer =
  | { readonly type: 'allow'; readonly input: JsonObject | null }
  | { readonly type: 'deny'; readonly message: string }

export type ApprovalWaiters = AskWaiters<ApprovalId, ApprovalAnswer>
export type QuestionWaiters = AskWaiters<QuestionId, QuestionReply>

export type ClientResult = Awaited<ReturnType<ClientToolCaller['call']>>
export type ClientCallWaiters = AskWaiters<ClientCallId, ClientResult>

/** The result of a wait whose turn is stopped. */
export const stoppedTurn = { type: 'deny', message: 'The turn was interrupted before a person decided.' } as const

export const createApprovalWaiters = (hooks: WaitHooks): ApprovalWaiters => createAskWaiters(hooks, stoppedTurn)

export const createQuestionWaiters = (hooks: WaitHooks): QuestionWaiters =>
  createAskWaiters(hooks, { type: 'declined', message: 'The turn was interrupted before a person answered.' })

export const createClientCallWaiters = (hooks: WaitHooks): ClientCallWaiters =>
  createAskWaiters(hooks, { output: 'The turn was interrupted before a client returned a result.', isError: true })
