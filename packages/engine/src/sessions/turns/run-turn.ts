// One turn from its prompt to its end: the backend's events become the log, its tokens the stream.
import {
  type AgentStreamToken,
  draft,
  type EventDraft,
  errorReasons,
  type TurnId,
  type UserMessageId,
} from '@quarterdeck/protocol'
import type { WorkTimer } from '../../async/work-timer.ts'
import type { AgentSession, BackendEvent, BackendEventType, TurnInput } from '../../backends/backend.ts'
import { emptyResult } from '../../backends/empty-result.ts'
import { settledTexts } from '../../store/ports/settled-texts.ts'
import type { ChangedInputs } from '../state/changed-inputs.ts'
import type { SessionWriter } from '../state/session-writer.ts'
import type { SubagentBound } from '../state/subagent-bound.ts'
import type { TokenStream } from '../streaming/token-stream.ts'

export interface Turn {
  readonly turnId: TurnId
  readonly input: TurnInput
  readonly messageId: UserMessageId
  readonly writer: SessionWriter
  readonly tokens: TokenStream
  readonly changedInputs: ChangedInputs
  readonly subagents: SubagentBound
  readonly timer: WorkTimer
  readonly signal: AbortSignal
  /** True once the time limit interrupted the turn. */
  readonly isTimedOut: () => boolean
  /** Books what the backend reports; `null` where the gateway does it: nothing is booked twice. */
  readonly bookReported: ((usage: EventDraft<'UsageRecorded'>) => Promise<void>) | null
  /** True once the turn was interrupted because nothing happened in it. */
  readonly isStuck: () => boolean
  /** Aborted when nobody waits for the backend any more: it heard of the interruption and did not end. */
  readonly givenUp: AbortSignal
  /** Hears of everything before it is written. */
  readonly onEvent: (event: BackendEvent) => void
}

/** Resolves with how the turn ended; everything before that is in the log. Rejects only when the log cannot be written. */
export async function runTurn(session: AgentSession, turn: Turn): Promise<EventDraft<'TurnEnded'>> {
  let ended: EventDraft<'TurnEnded'> | null = null
  for await (const event of untilGivenUp(session.run(turn.input, turn.signal, turn.messageId), turn.givenUp)) {
    turn.onEvent(event)
    if (isToken(event)) turn.tokens.push(event)
    else if (event.type === 'TurnEnded') ended = event
    else if (event.type === 'UsageRecorded') await turn.bookReported?.({ ...event, turnId: turn.turnId })
    else await recordEvent(turn, event.type === 'ToolExecuted' ? withWhatRan(turn, event) : event)
  }
  await discardOpenTexts(turn)
  return settle(turn, ended ?? failedTurn('the backend ended without a word'))
}

/**
 * Not a `for await`: leaving one waits for the backend, and this one may never answer. Nor a race against one promise of
 * the whole turn: that would keep every step it was raced against until the turn ends. Written by hand, as a channel is:
 * every token comes through here.
 */
export function untilGivenUp<Item>(items: AsyncIterable<Item>, givenUp: AbortSignal): AsyncIterableIterator<Item> {
  const iterator = items[Symbol.asyncIterator]()
  let leave: () => void = () => undefined
  const onGivenUp = () => leave()
  const end = (): IteratorReturnResult<undefined> => {
    givenUp.removeEventListener('abort', onGivenUp)
    return { done: true, value: undefined }
  }
  givenUp.addEventListener('abort', onGivenUp, { once: true })
  return {
    next: () =>
      new Promise<IteratorResult<Item>>((resolve, reject) => {
        leave = () => resolve(end())
        if (givenUp.aborted) return leave()
        iterator.next().then(
          (step) => resolve(step.done === true ? end() : step),
          (error: unknown) => {
            end()
            reject(error)
          },
        )
      }),
    return: async () => end(),
    [Symbol.asyncIterator]() {
      return this
    },
  }
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

/** Text that never became a message was still seen: it belongs into the log. */
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

/** The end of a turn that was interrupted before there was anything to run. */
export const calledOffTurn = (turn: Pick<Turn, 'timer' | 'isStuck' | 'isTimedOut'>): EventDraft<'TurnEnded'> =>
  settle(turn, failedTurn('interrupted', 'interrupted'))

function settle(
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

/** The end of a turn that could not even be run. */
export const failedTurn = (
  reason: string,
  outcome: 'failed' | 'crashed' | 'interrupted' = 'failed',
): EventDraft<'TurnEnded'> =>
  draft('TurnEnded', {
    outcome,
    result: { ...emptyResult, isError: true, errorReason: reason },
    durationMs: 0,
    durationApiMs: 0,
    reportedCostUsd: null,
    modelUsage: {},
    permissionDenials: [],
  })
