// An answer is logged first, then handed to the waiting process if it can still take it.
import {
  type Ask,
  type AskAnswer,
  type AskId,
  buildReport,
  findAsk,
  type SessionEvent,
  type Unreported,
  type UserMessageId,
} from '@quarterdeck/protocol'
import { strategyOf } from '../rules/ask-kinds/ask-strategies.ts'
import type { RunningSession } from '../state/running-session.ts'

export interface GivenAnswer {
  readonly id: AskId
  readonly answer: AskAnswer
  readonly by: string
  readonly wakeMessageId: UserMessageId
}

export async function answerAsk(running: RunningSession, given: GivenAnswer): Promise<readonly SessionEvent[]> {
  const { writer, asks } = running
  const { id, answer, by } = given
  let ask: Ask | undefined
  let isLive = false
  try {
    const events = await writer.apply(() => {
      ask = findAsk(writer.state(), id)
      isLive = asks.claim(id)
      return { type: 'ask.answer', ...given, isLive, keepsAsks: running.phase.keepsAsks() }
    })
    // An answer that is logged as not received must not be handed over: the agent would get it twice.
    if (isLive) asks.answer(id, strategyOf(id).reply(answer, by), ask && reportIn(events, ask))
    return events
  } catch (error) {
    if (isLive) asks.unclaim(id)
    throw error
  }
}

/** From the log, because it must not contain secrets. */
const reportIn = (events: readonly SessionEvent[], ask: Ask): Unreported | undefined =>
  events.map((event) => buildReport(ask, event)).find((report) => report !== null)
