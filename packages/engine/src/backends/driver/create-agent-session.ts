// The guarantees of `AgentSession`, implemented once for every backend: one turn at a time, one `TurnEnded` at the end,
// nothing thrown across the stream. An adapter provides a driver, which can be as simple as its runtime allows.
import {
  type AgentTool,
  type EventDraft,
  errorReasons,
  messageOf,
  neverAborted,
  QuarterdeckError,
  type UserMessageId,
} from '@quarterdeck/protocol'
import { type Channel, createChannel } from '../../async/channel.ts'
import type { AgentSession, BackendEvent, TurnInput } from '../backend.ts'
import { BackendBudgetError, BackendSessionError, BackendTimeoutError } from '../backend-errors.ts'
import { endOnCriticalFailure } from './critical-tool.ts'
import type { TurnDriver } from './turn-driver.ts'
import { emptyTurn, endTurn, recordEvent } from './turn-record.ts'

/** How many events a turn may be ahead of its reader. */
const channelBound = 1000

interface RunningTurn {
  readonly events: Channel<BackendEvent>
  readonly ended: Promise<void>
}

/** `tools` are those of the agent file: the failure of a critical one ends its turn. */
export function createAgentSession(
  driver: TurnDriver,
  onClosed: () => void = () => {},
  tools: readonly AgentTool[] = [],
): AgentSession {
  const guarded = endOnCriticalFailure(driver, tools)
  let running: RunningTurn | null = null
  let closing: Promise<void> | null = null
  // The session keeps the limits it was created with: once its budget is spent, it runs no further turn.
  let isBudgetSpent = false
  let turns = 0

  const refusal = (): string | null => {
    if (closing !== null) return 'the session is closed'
    return running === null ? null : 'a turn is running: wait for its end or interrupt it'
  }

  /** The end of a turn that could not begin. */
  function endedBefore(signal: AbortSignal): EventDraft<'TurnEnded'> | null {
    const refused = refusal()
    if (refused !== null) return endTurn(emptyTurn, { outcome: 'failed', reason: refused, durationMs: 0 })
    if (isBudgetSpent) return endTurn(emptyTurn, { outcome: 'budget_limit', durationMs: 0 })
    return signal.aborted ? endTurn(emptyTurn, { outcome: 'interrupted', durationMs: 0 }) : null
  }

  function start(input: TurnInput, messageId: UserMessageId | null): RunningTurn {
    const { text, images } = typeof input === 'string' ? { text: input, images: [] } : input
    const events = createChannel<BackendEvent>(channelBound)
    const ended = pump(guarded.turn(text, messageId, images), events).then((outcome) => {
      running = null
      turns += 1
      isBudgetSpent = outcome === 'budget_limit'
      if (outcome === 'crashed') void close()
      events.end()
    })
    return { events, ended }
  }

  /** Written by hand rather than as a generator, because every token of the turn passes through it. */
  function run(
    input: TurnInput,
    signal: AbortSignal,
    messageId: UserMessageId | null = null,
  ): AsyncIterableIterator<BackendEvent> {
    let turn: RunningTurn | null = null
    let events: AsyncIterator<BackendEvent> | null = null
    const onAbort = () => {
      if (turn !== null) void interruptRunning(turn)
    }

    function begin(): AsyncIterator<BackendEvent> {
      const ended = endedBefore(signal)
      if (ended !== null) return onlyOf(ended)
      turn = start(input, messageId)
      running = turn
      signal.addEventListener('abort', onAbort, { once: true })
      void turn.ended.then(() => signal.removeEventListener('abort', onAbort))
      return turn.events[Symbol.asyncIterator]()
    }

    /** A reader that stops early must not leave a turn running. */
    async function leave(): Promise<IteratorReturnResult<undefined>> {
      events = onlyOf(null)
      if (turn !== null && running === turn) await interruptRunning(turn)
      return { done: true, value: undefined }
    }

    return {
      next() {
        events ??= begin()
        return events.next()
      },
      return: leave,
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  async function interruptRunning(turn: RunningTurn): Promise<void> {
    turn.events.liftBound()
    await driver.interrupt()
    await turn.ended
  }

  function close(): Promise<void> {
    closing ??= (async () => {
      if (running !== null) await interruptRunning(running)
      await driver.close()
      onClosed()
    })()
    return closing
  }

  async function* stream(message: string): AsyncGenerator<BackendEvent, EventDraft<'TurnEnded'>> {
    const refused = refusal()
    if (refused !== null) throw new BackendSessionError(refused)
    if (isBudgetSpent) throw new BackendBudgetError(errorReasons.budget)
    let last: BackendEvent | null = null
    for await (const event of run(message, neverAborted())) {
      last = event
      yield event
    }
    if (last?.type !== 'TurnEnded') throw new BackendSessionError(errorReasons.crashed)
    return throwIfBroken(last)
  }

  return {
    run,
    async send(message) {
      const events = stream(message)
      for (;;) {
        const step = await events.next()
        if (step.done) return step.value.data.result
      }
    },
    async *sendStreaming(message) {
      for await (const event of stream(message)) {
        if (event.type === 'AgentStreamToken' && event.agent === null && event.data.kind === 'text') {
          yield event.data.text
        }
      }
    },
    async interrupt() {
      if (running !== null) await interruptRunning(running)
    },
    setModel: driver.setModel,
    setPermissionMode: driver.setPermissionMode,
    async warm() {
      if (refusal() === null) await driver.warm?.()
    },
    async steer(message, messageId) {
      if (running === null || closing !== null || driver.steer === undefined) return false
      return driver.steer(message, messageId)
    },
    async setThinking(thinking) {
      if (driver.setThinking !== undefined) return driver.setThinking(thinking)
      throw new QuarterdeckError('config.unsupported', 'this backend cannot change thinking during a session')
    },
    async capabilities() {
      if (closing !== null) throw new BackendSessionError('the session is closed')
      return driver.capabilities === undefined ? noCapabilities : driver.capabilities()
    },
    async rewindFiles(messageId, how) {
      const refused = refusal()
      if (refused !== null) throw new BackendSessionError(refused)
      if (driver.rewindFiles !== undefined) return driver.rewindFiles(messageId, how)
      throw new QuarterdeckError('rewind.unavailable', 'this backend keeps no earlier versions of files')
    },
    load: () => driver.load?.() ?? { residentBytes: null, turns },
    close,
  }
}

const noCapabilities = { commands: [], models: [], tools: [], agents: [], mcpServers: [], account: null }

function onlyOf(event: BackendEvent | null): AsyncIterator<BackendEvent> {
  const events = createChannel<BackendEvent>(channelBound)
  if (event !== null) void events.push(event)
  events.end()
  return events[Symbol.asyncIterator]()
}

/** Forwards a driver's events and ensures that the last one is the only `TurnEnded`. */
async function pump(turn: AsyncIterable<BackendEvent>, events: Channel<BackendEvent>): Promise<string> {
  let record = emptyTurn
  let ended: EventDraft<'TurnEnded'> | null = null
  try {
    for await (const event of turn) {
      if (event.type === 'TurnEnded') {
        ended = event
        continue
      }
      const drained = events.push(event)
      if (drained !== null) await drained
      record = recordEvent(record, event)
    }
  } catch (error) {
    const reason = messageOf(error)
    ended = endTurn(record, { outcome: 'failed', reason, durationMs: 0 })
  }
  ended ??= endTurn(record, { outcome: 'failed', reason: 'the backend ended without a result', durationMs: 0 })
  events.liftBound()
  await events.push(ended)
  return ended.data.outcome
}

function throwIfBroken(ended: EventDraft<'TurnEnded'>): EventDraft<'TurnEnded'> {
  const { outcome, result } = ended.data
  if (outcome === 'crashed') throw new BackendSessionError(errorReasons.crashed, { result })
  if (outcome === 'timeout') throw new BackendTimeoutError(errorReasons.timeout, { result })
  return ended
}
