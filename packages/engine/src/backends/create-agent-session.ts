// The promises of `AgentSession`, kept once for every backend: one turn at a time, one `TurnEnded` at the end, nothing
// thrown across the stream. An adapter brings a driver, which may be as simple as its runtime allows.
import { type EventDraft, errorReasons } from '@quarterdeck/protocol'
import type { AgentSession, BackendEvent } from './backend.ts'
import { BackendBudgetError, BackendSessionError, BackendTimeoutError } from './backend-errors.ts'
import { type Channel, createChannel } from './channel.ts'
import { emptyTurn, endTurn, recordEvent } from './turn-record.ts'

/** What a runtime has to bring. Never called for two turns at once, and never after `close`. */
export interface TurnDriver {
  /** The events of one turn. Ends with `TurnEnded`, also after an interrupt. What it throws becomes a failed turn. */
  turn(input: string): AsyncIterable<BackendEvent>
  /** Asks the running turn to end soon. */
  interrupt(): Promise<void>
  setModel: AgentSession['setModel']
  setPermissionMode: AgentSession['setPermissionMode']
  /** Ends the process and everything it started. */
  close(): Promise<void>
}

/** A turn may run this far ahead of its reader. */
const channelBound = 1000

interface RunningTurn {
  readonly events: Channel<BackendEvent>
  readonly ended: Promise<void>
}

export function createAgentSession(driver: TurnDriver, onClosed: () => void = () => {}): AgentSession {
  let running: RunningTurn | null = null
  let closing: Promise<void> | null = null
  // Its limits are those it was created with: once the money is gone, this session has none for another turn.
  let isBroke = false

  const refusal = (): string | null => {
    if (closing !== null) return 'the session is closed'
    return running === null ? null : 'a turn is running: wait for its end or interrupt it'
  }

  function start(input: string): RunningTurn {
    const events = createChannel<BackendEvent>(channelBound)
    const ended = pump(driver, input, events).then((outcome) => {
      running = null
      isBroke = outcome === 'budget_limit'
      if (outcome === 'crashed') void close()
      events.end()
    })
    return { events, ended }
  }

  async function* run(input: string, signal: AbortSignal): AsyncGenerator<BackendEvent> {
    const refused = refusal()
    if (refused !== null) return yield endTurn(emptyTurn, { outcome: 'failed', reason: refused, durationMs: 0 })
    if (isBroke) return yield endTurn(emptyTurn, { outcome: 'budget_limit', durationMs: 0 })
    if (signal.aborted) return yield endTurn(emptyTurn, { outcome: 'interrupted', durationMs: 0 })
    const turn = start(input)
    running = turn
    const onAbort = () => void interruptRunning(turn)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      yield* turn.events
    } finally {
      signal.removeEventListener('abort', onAbort)
      // A reader that leaves early must not leave a turn behind.
      if (running === turn) await interruptRunning(turn)
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
    if (isBroke) throw new BackendBudgetError(errorReasons.budget)
    let last: BackendEvent | null = null
    for await (const event of run(message, new AbortController().signal)) {
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
    close,
  }
}

/** Passes a driver's events on, and sees to it that the last one is the only `TurnEnded`. */
async function pump(driver: TurnDriver, input: string, events: Channel<BackendEvent>): Promise<string> {
  let record = emptyTurn
  let ended: EventDraft<'TurnEnded'> | null = null
  try {
    for await (const event of driver.turn(input)) {
      if (event.type === 'TurnEnded') ended = event
      else await events.push(event)
      record = recordEvent(record, event)
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
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
