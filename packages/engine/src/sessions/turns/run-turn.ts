// Runs one turn: the backend's events go into the log, its tokens into the stream.
import {
  type AgentStreamToken,
  draft,
  type EventDraft,
  errorReasons,
  formatUnsavedMessages,
  type InputImage,
  type QueuedMessage,
  type SessionId,
  type TurnId,
  type UserMessageId,
} from '@quarterdeck/protocol'
import { iterateUntilAborted } from '../../async/iterate-until-aborted.ts'
import type { WorkTimer } from '../../async/work-timer.ts'
import type { AgentSession, BackendEvent, BackendEventType, TurnInput } from '../../backends/backend.ts'
import { emptyResult, nothingUsed } from '../../backends/empty-result.ts'
import type { OpenBackend } from '../../processes/agent-process.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import { settledTexts } from '../../store/ports/settled-texts.ts'
import type { RunningSession } from '../state/running-session.ts'

export interface Turn extends Pick<RunningSession, 'writer' | 'tokens' | 'changedInputs'> {
  readonly turnId: TurnId
  readonly input: TurnInput
  readonly messageId: UserMessageId
  readonly subagents: OpenBackend['subagents']
  readonly timer: WorkTimer
  readonly signal: AbortSignal
  /** True once the time limit interrupted the turn. */
  readonly isTimedOut: () => boolean
  /** Books the usage that the backend reports; `null` if the gateway does it, so that nothing is booked twice. */
  readonly bookReported: ((usage: EventDraft<'UsageRecorded'>) => Promise<void>) | null
  /** True once the turn was interrupted because nothing happened in it. */
  readonly isStuck: () => boolean
  /** Aborts when the backend was interrupted and did not end in time. */
  readonly givenUp: AbortSignal
  /** Called with every event before it is logged. */
  readonly onEvent: (event: BackendEvent) => void
}

/** Resolves with the end of the turn, after everything else is logged. Rejects only if the log cannot be written. */
export async function runTurn(session: AgentSession, turn: Turn): Promise<EventDraft<'TurnEnded'>> {
  let ended: EventDraft<'TurnEnded'> | null = null
  for await (const event of iterateUntilAborted(session.run(turn.input, turn.signal, turn.messageId), turn.givenUp)) {
    turn.onEvent(event)
    if (isToken(event)) turn.tokens.push(event)
    else if (event.type === 'TurnEnded') ended = event
    else if (event.type === 'UsageRecorded') await turn.bookReported?.({ ...event, turnId: turn.turnId })
    else await recordEvent(turn, event.type === 'ToolExecuted' ? withWhatRan(turn, event) : event)
  }
  await discardOpenTexts(turn)
  return loggedEnd(turn, ended ?? failedTurn('the backend ended without a result'))
}

const isToken = (event: BackendEvent): event is AgentStreamToken => event.type === 'AgentStreamToken'

function withWhatRan(turn: Turn, event: EventDraft<'ToolExecuted'>): EventDraft<'ToolExecuted'> {
  const changedInput = turn.changedInputs.take(event.data.toolUseId)
  return changedInput === undefined ? event : { ...event, data: { ...event.data, changedInput } }
}

async function recordEvent(turn: Turn, event: EventDraft<BackendEventType>): Promise<void> {
  if (event.type === 'ToolExecuted') turn.subagents.free(event.data.toolUseId)
  const settled = settledTexts(event)
  await turn.tokens.settle(settled)
  await turn.writer.record([{ ...event, turnId: turn.turnId }])
  for (const part of settled) turn.tokens.close(part)
}

/** Text that never became a message was still seen, so it belongs in the log. */
async function discardOpenTexts(turn: Turn): Promise<void> {
  await turn.tokens.flush()
  for (const { agent, data } of turn.tokens.openTexts()) {
    const { messageId, text, kind } = data
    if (kind === 'thinking') {
      await turn.tokens.giveUp(data)
      continue
    }
    const reason = 'the turn ended before the message was complete'
    await recordEvent(turn, draft('AgentStreamDiscarded', { messageId, text, reason }, { agent }))
  }
}

/** The end of a turn that was interrupted before it started. */
export const calledOffTurn = (turn: Pick<Turn, 'timer' | 'isStuck' | 'isTimedOut'>): EventDraft<'TurnEnded'> =>
  loggedEnd(turn, failedTurn('interrupted', 'interrupted'))

/** Adds the working time, and the reason if the engine stopped the turn. */
function loggedEnd(
  turn: Pick<Turn, 'timer' | 'isStuck' | 'isTimedOut'>,
  ended: EventDraft<'TurnEnded'>,
): EventDraft<'TurnEnded'> {
  const data = { ...ended.data, durationMs: turn.timer.elapsedMs() }
  if (turn.isStuck() && data.outcome !== 'completed') {
    const result = { ...data.result, isError: true, errorReason: errorReasons.stuck }
    return { ...ended, data: { ...data, outcome: 'failed', result } }
  }
  if (!turn.isTimedOut() || data.outcome !== 'interrupted') return { ...ended, data }
  const result = { ...data.result, isError: true, errorReason: errorReasons.timeout }
  return { ...ended, data: { ...data, outcome: 'timeout', result } }
}

/** The end of a turn that could not start. */
export const failedTurn = (
  reason: string,
  outcome: 'failed' | 'crashed' | 'interrupted' = 'failed',
): EventDraft<'TurnEnded'> =>
  draft('TurnEnded', {
    outcome,
    result: { ...emptyResult, isError: true, errorReason: reason },
    durationMs: 0,
    ...nothingUsed,
  })

interface PromptMessages {
  readonly message: Message
  /** Of earlier turns. */
  readonly unsaved: readonly Message[]
}
type Message = Pick<QueuedMessage, 'content' | 'images'>

/** The prompt of a turn. Images are read from the log now, because they would make the state huge. */
export async function turnInput(
  store: Pick<EventStore, 'read'>,
  sessionId: SessionId,
  { message, unsaved }: PromptMessages,
): Promise<TurnInput> {
  const contents = unsaved.map(({ content }) => content)
  const text = formatUnsavedMessages(contents, message.content)
  const images: InputImage[] = []
  for (const { images: stored } of [...unsaved, message]) {
    if (stored === undefined) continue
    const [event] = await store.read(sessionId, stored.seq - 1, 1)
    if (event?.type === 'UserMessageQueued') images.push(...(event.data.images ?? []))
  }
  return images.length === 0 ? text : { text, images }
}
