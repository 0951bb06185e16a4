// Turns on a CLI process: starts it when needed, hears it out until it is idle, and says how the turn ended.
import { draft, type EventDraft, type PermissionMode } from '@quarterdeck/protocol'
import type { BackendEvent } from '../backend.ts'
import type { TurnDriver } from '../create-agent-session.ts'
import { endTurn } from '../turn-record.ts'
import { type ClaudeProcess, type Heard, within } from './claude-process.ts'
import { AnyMessage } from './translate/sdk-message.ts'
import { noTotals } from './translate/translation.ts'
import type { Translator } from './translator.ts'

export interface ClaudeDriverOptions {
  readonly translator: Translator
  /** Starts a process, with the conversation of an earlier one if its id is given. */
  readonly start: (resume: string | null, chosen: { model: string; permissionMode: PermissionMode }) => ClaudeProcess
  readonly resume: string | null
  readonly model: string
  readonly permissionMode: PermissionMode
  /** What the operator should know about how this session is protected: told once, with the first turn. */
  readonly notices: readonly BackendEvent[]
  /** Named when the provider refuses the key. */
  readonly keyVariable: string
  readonly now: () => number
}

/** After a result the CLI says `idle` at once (measured); this is for one that forgets. */
const idlePatienceMs = 5_000
/** Asking a new process what its session has used; without an answer the first turn is counted from zero. */
const startPatienceMs = 30_000
/** An interrupt takes 50 ms (measured); a CLI that ignores it this long is ended. */
const interruptPatienceMs = 15_000

interface TurnState {
  ended: EventDraft<'TurnEnded'> | null
  isIdle: boolean
  /** The CLI has taken the prompt up. */
  hasBegun: boolean
  /** Set when the provider refused the key: trying again would only take longer to say so. */
  refusedKey: boolean
  interruptedAt: number | null
}

export function createClaudeDriver(options: ClaudeDriverOptions): TurnDriver {
  const { translator, now } = options
  let { resume, model, permissionMode } = options
  let process: ClaudeProcess | null = null
  let current: TurnState | null = null
  let notices = options.notices

  async function* turn(input: string): AsyncGenerator<BackendEvent> {
    const startedAt = now()
    const state: TurnState = { ended: null, isIdle: false, hasBegun: false, refusedKey: false, interruptedAt: null }
    current = state
    translator.beginTurn()
    yield* notices
    notices = []
    try {
      let isResident = process !== null
      let running = await ensureProcess()
      if (state.interruptedAt !== null) return yield finish(state, startedAt)
      running.send(input)
      for (;;) {
        const heard = await running.hear(patience(state))
        const news = isResident && !state.hasBegun ? diedAtRest(heard) : forgotten(heard)
        if (news === null) yield* react(heard, state, running)
        else {
          yield news
          running = await startAgain(running)
          isResident = false
          running.send(input)
        }
        if (news === null && isOver(heard, state)) break
      }
      yield finish(state, startedAt)
    } finally {
      current = null
    }
  }

  async function* react(heard: Heard, state: TurnState, running: ClaudeProcess): AsyncGenerator<BackendEvent> {
    if (heard.type === 'message') return yield* reactToMessage(heard.message, state, running)
    if (heard.type === 'ended') {
      process = null
      yield* translator.discard('the process ended')
      if (state.ended === null && state.interruptedAt === null) yield draft('BackendCrashed', heard.exit)
    } else if (state.interruptedAt !== null && state.ended === null) {
      await running.kill()
      process = null
      yield* translator.discard('interrupted')
    }
  }

  async function* reactToMessage(
    message: unknown,
    state: TurnState,
    running: ClaudeProcess,
  ): AsyncGenerator<BackendEvent> {
    readState(message, state)
    for (const event of translator.translate(message)) {
      if (event.type === 'TurnEnded') state.ended = event
      else yield event
      if (event.type === 'ModelRequestRetrying' && event.data.status === 401) state.refusedKey = true
    }
    resume = translator.backendSessionId() ?? resume
    // An interrupt that overtook its prompt was ignored: the turn begins now, so it is asked to end again.
    if ((state.interruptedAt !== null && isTurnStart(message)) || state.refusedKey) void askToEnd(running)
  }

  /** A conversation whose transcript is gone cannot go on: a new one starts, and the log says so. */
  function forgotten(heard: Heard): BackendEvent | null {
    const error = resume === null ? null : resumeFailure(heard)
    if (error === null) return null
    const news = draft('RawBackendMessage', { kind: 'resume_failed', message: { resume, error } })
    resume = null
    return news
  }

  async function startAgain(gone: ClaudeProcess): Promise<ClaudeProcess> {
    await gone.kill()
    process = null
    return ensureProcess()
  }

  async function ensureProcess(): Promise<ClaudeProcess> {
    if (process !== null) return process
    const started = options.start(resume, { model, permissionMode })
    process = started
    // A resumed conversation goes on counting where its last process ended cleanly, and from zero after a crash.
    const totals = resume === null ? noTotals : await within(started.totals(), startPatienceMs).catch(() => null)
    translator.restart(totals ?? noTotals)
    return started
  }

  function finish(state: TurnState, startedAt: number): EventDraft<'TurnEnded'> {
    const durationMs = now() - startedAt
    if (state.refusedKey) {
      const reason = `the provider refused the key (401): check ${options.keyVariable}`
      return retold(state, { outcome: 'failed', reason, durationMs })
    }
    if (state.ended !== null) return state.ended
    const outcome = state.interruptedAt !== null ? 'interrupted' : process === null ? 'crashed' : 'failed'
    const reason = 'the agent fell silent without a result'
    return endTurn(translator.record(), { outcome, reason, durationMs })
  }

  /** The same end with another name for it. */
  function retold(state: TurnState, ending: Parameters<typeof endTurn>[1]): EventDraft<'TurnEnded'> {
    const told = state.ended?.data
    const record = told?.result ?? translator.record()
    return endTurn(record, { ...(told ?? {}), ...ending })
  }

  return {
    turn,
    async interrupt() {
      if (current === null) return
      current.interruptedAt ??= now()
      if (process !== null) await askToEnd(process)
    },
    async setModel(next) {
      model = next
      if (process?.isAlive()) await process.setModel(next)
    },
    async setPermissionMode(next) {
      permissionMode = next
      if (process?.isAlive()) await process.setPermissionMode(next)
    },
    async close() {
      await process?.stop()
      process = null
    },
  }
}

/** A process that died or is dying cannot answer; the turn's end says what happened. */
const askToEnd = (running: ClaudeProcess): Promise<void> => running.interrupt().catch(() => undefined)

function patience(state: TurnState): number | null {
  if (state.ended !== null || state.isIdle) return idlePatienceMs
  return state.interruptedAt === null ? null : interruptPatienceMs
}

function isOver(heard: Heard, state: TurnState): boolean {
  return heard.type !== 'message' || (state.ended !== null && state.isIdle)
}

function readState(message: unknown, state: TurnState): void {
  const any = AnyMessage.safeParse(message)
  if (!any.success || any.data.subtype !== 'session_state_changed') return
  state.isIdle = any.data.state === 'idle'
  if (!state.isIdle) state.hasBegun = true
}

/** A process that was there from an earlier turn and ends before it takes up the prompt had died in between. */
const diedAtRest = (heard: Heard): BackendEvent | null =>
  heard.type === 'ended' ? draft('BackendCrashed', heard.exit) : null

function isTurnStart(message: unknown): boolean {
  const any = AnyMessage.safeParse(message)
  return any.success && (any.data.subtype === 'init' || any.data.subtype === 'status')
}

function resumeFailure(heard: Heard): string | null {
  if (heard.type !== 'message') return null
  const any = AnyMessage.safeParse(heard.message)
  if (!any.success || any.data.type !== 'result' || !Array.isArray(any.data.errors)) return null
  return any.data.errors.map(String).find((text) => text.includes('No conversation found')) ?? null
}
