// An answer is written first and then handed to the process that waits for it, if one can still hear it.
import type { Command, SessionEvent, SessionState, Untold } from '@quarterdeck/protocol'
import type { AskWaiters } from './ask-waiters.ts'
import type { LiveSession } from './live-session.ts'

/** How the running turn takes an answer. */
export interface Hearing {
  /** A process waits for it and will hear it. */
  readonly isLive: boolean
  /** The process is taken away or has died: what it asked stays open, and can be answered though its turn is not over. */
  readonly keepsAsks: boolean
}

export interface AnswerToHand<Id, Answer> {
  readonly waiters: AskWaiters<Id, Answer>
  readonly id: Id
  readonly command: (hearing: Hearing) => Command
  readonly answer: Answer
  /** What the agent is told later should its turn be stopped before it has heard this. */
  readonly untold: (before: SessionState, events: readonly SessionEvent[]) => Untold | undefined
}

export async function handOverAnswer<Id, Answer>(
  live: LiveSession,
  { waiters, id, command, answer, untold }: AnswerToHand<Id, Answer>,
): Promise<readonly SessionEvent[]> {
  let before: SessionState | null = null
  let isLive = false
  try {
    const events = await live.writer.apply(() => {
      before = live.writer.state()
      isLive = waiters.claim(id)
      return command({ isLive, keepsAsks: live.isDetaching || live.hasCrashed })
    })
    // Written as not heard it may not be heard either: the agent would have it twice.
    if (isLive && before !== null) waiters.answer(id, answer, untold(before, events))
    return events
  } catch (error) {
    if (isLive) waiters.unclaim(id)
    throw error
  }
}
