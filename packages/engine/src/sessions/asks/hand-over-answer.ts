// An answer is written first and then handed to the process that waits for it, if one can still hear it.
import type { Command, SessionEvent, SessionState, Unreported } from '@quarterdeck/protocol'
import type { AskWaiters } from '../state/ask-waiters.ts'
import type { RunningSession } from '../state/running-session.ts'

/** How the running turn takes an answer. */
export interface AnswerReception {
  /** A process waits for it and will hear it. */
  readonly isLive: boolean
  /** The process is taken away or has died: what it asked stays open, and can be answered though its turn is not over. */
  readonly keepsAsks: boolean
}

export interface AnswerToDeliver<Id, Answer> {
  readonly waiters: AskWaiters<Id, Answer>
  readonly id: Id
  readonly command: (reception: AnswerReception) => Command
  readonly answer: Answer
  /** What the agent is told later should its turn be stopped before it has heard this. */
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
      return command({ isLive, keepsAsks: running.isDetaching || running.hasCrashed })
    })
    // Written as not heard it may not be heard either: the agent would have it twice.
    if (isLive && before !== null) waiters.answer(id, answer, unreported(before, events))
    return events
  } catch (error) {
    if (isLive) waiters.unclaim(id)
    throw error
  }
}
