// The calls of this process that wait for answers. The asks themselves are in the log and survive this process.
//
// An answer is claimed before it is logged, then handed to the waiting call. A received answer counts as used when its
// call has a result. If the turn stops before that, the answer is missed.
import type { AskId, Unreported } from '@quarterdeck/protocol'
import { strategyOf, strategyOfReport } from '../rules/ask-kinds/ask-strategies.ts'
import type { ReplyTo } from '../rules/ask-kinds/ask-strategy.ts'

export type AskWaiters = ReturnType<typeof createAskWaiters>

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

interface Received {
  readonly toolUseId: string
  readonly report: Unreported
}

export function createAskWaiters(hooks: WaitHooks) {
  const waiting = new Map<AskId, (reply: ReplyTo<AskId>) => void>()
  const claimed = new Map<AskId, Unreported | null>()
  let received: readonly Received[] = []
  const tooLate: Unreported[] = []

  /**
   * The call continues with an earlier answer: its outcome is unknown until it has a result. A later answer to the same
   * call replaces an earlier one of its kind.
   */
  function markReceived(toolUseId: string, report: Unreported): void {
    const others = received.filter((one) => one.toolUseId !== toolUseId || one.report.type !== report.type)
    received = [...others, { toolUseId, report }]
  }

  /** Removes the received answers of one call, or of all. */
  function takeReceived(toolUseId?: string): readonly Unreported[] {
    const isTaken = (one: Received) => toolUseId === undefined || one.toolUseId === toolUseId
    const taken = received.filter(isTaken)
    received = received.filter((one) => !isTaken(one))
    return taken.map(({ report }) => report)
  }

  const wait = (id: AskId, { signal, toolUseId }: AskedIn) =>
    new Promise<ReplyTo<AskId>>((resolve, reject) => {
      const { stoppedReply } = strategyOf(id)
      hooks.onWait()
      const finish = (reply: ReplyTo<AskId>) => {
        waiting.delete(id)
        signal.removeEventListener('abort', stop)
        hooks.onAnswer()
        hooks.over().then(() => {
          const isReceived = !signal.aborted && !hooks.isStopping()
          const report = claimed.get(id) ?? null
          if (isReceived) claimed.delete(id)
          if (isReceived && report !== null && toolUseId !== null) markReceived(toolUseId, report)
          resolve(isReceived ? reply : stoppedReply)
        }, reject)
      }
      const stop = () => finish(stoppedReply)
      waiting.set(id, finish)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop)
    })

  return {
    /** Resolves with the reply, or with the strategy's `stoppedReply` when the turn is stopped first. */
    wait: <Id extends AskId>(id: Id, asked: AskedIn) => wait(id, asked) as Promise<ReplyTo<Id>>, // `answer` takes only replies to this id
    isWaiting: (id: AskId): boolean => waiting.has(id),
    /**
     * Call before an answer is logged. True if a process waits for it and its turn is not being stopped. The answer then
     * counts as missed until the process has received it, or until `unclaim`.
     */
    claim(id: AskId): boolean {
      if (!waiting.has(id) || hooks.isStopping()) return false
      claimed.set(id, null)
      return true
    },
    unclaim: (id: AskId) => void claimed.delete(id),
    /** `report`: sent to the agent if it misses this answer. */
    answer<Id extends AskId>(id: Id, reply: ReplyTo<Id>, report?: Unreported): void {
      if (report !== undefined && claimed.has(id)) claimed.set(id, report)
      waiting.get(id)?.(reply)
    },
    /** An answer for the running turn is being logged, or waits for the turn to get its slot back. */
    isClaimed: (): boolean => claimed.size > 0,
    markReceived,
    /** Call before a received answer is used. False if the turn is being stopped: the answer then counts as missed. */
    mayUse(toolUseId: string, signal: AbortSignal): boolean {
      if (!signal.aborted && !hooks.isStopping()) return true
      tooLate.push(...takeReceived(toolUseId))
      return false
    },
    /** The call has its result, or will not be made: its answers have been used. */
    markUsed: (toolUseId: string) => void takeReceived(toolUseId),
    /** For a dead process: the end of its turn reports the answers in use from the log. */
    forgetReceived: () => void takeReceived(),
    /** After the end of a turn: the answers it never received, or received and could not use. Each is returned once. */
    missed(): readonly Unreported[] {
      const stopped = takeReceived().map((report) => strategyOfReport(report).stopped(report))
      const missed = [...claimed.values(), ...tooLate.splice(0), ...stopped].filter((report) => report !== null)
      claimed.clear()
      return missed
    },
  }
}

/** Waits before it writes, so that no answer can be too fast. `giveUp` ends the wait if the answer is known. */
export async function waitWhile<Id extends AskId>(
  waiters: AskWaiters,
  { id, signal, toolUseId }: AskedIn & { readonly id: Id },
  write: () => Promise<unknown>,
): Promise<{ readonly answer: Promise<ReplyTo<Id>>; giveUp(): Promise<void> }> {
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
