// An answer is logged first, then handed to the waiting process if it can still take it.
import type { Command, SessionEvent, SessionState, Unreported } from '@quarterdeck/protocol'
import type { AskWaiters } from '../state/ask-waiters.ts'
import type { RunningSession } from '../state/running-session.ts'

/** How the running turn takes an answer. */
export interface AnswerReception {
  /** A process waits for the answer and will get it. */
  readonly isLive: boolean
  /** The process is being detached or has died: its asks stay open and can be answered before its turn ends. */
  readonly keepsAsks: boolean
}

export interface AnswerToDeliver<Id, Answer> {
  readonly waiters: AskWaiters<Id, Answer>
  readonly id: Id
  readonly command: (reception: AnswerReception) => Command
  readonly answer: Answer
  /** What the agent is told later if its turn stops before it gets the answer. */
  readonly unreported: (before: SessionState, events: readonly SessionEvent[]) => Unreported | undefined
}

export async function handOverAnswer<Id, Answer>(
  running: RunningSession,
  { waiters, id, command, answer, unreported }: AnswerToDeliver<Id, Answer>,
): Promise<readonly SessionEvent[]> {
  let before: SessionState | null = null
  let isLive = false
  try {
    const events = await running.writer.apply(() => {
      before = running.writer.state()
      isLive = waiters.claim(id)
      return command({ isLive, keepsAsks: running.phase.keepsAsks() })
    })
    // An answer that is logged as not received must not be handed over: the agent would get it twice.
    if (isLive && before !== null) waiters.answer(id, answer, unreported(before, events))
    return events
  } catch (error) {
    if (isLive) waiters.unclaim(id)
    throw error
  }
}
