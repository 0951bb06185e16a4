// A backend without a model: deterministic, for tests of everything above the port.
import { draft } from '@quarterdeck/protocol'
import type { AgentBackend, AgentSession, BackendEvent, SessionOptions } from '../backend.ts'
import { createAgentSession, type TurnDriver } from '../create-agent-session.ts'
import { invokeOnce } from '../invoke-once.ts'
import { emptyTurn, endTurn, recordEvent } from '../turn-record.ts'
import { playSteps, TurnStop } from './play-turn.ts'
import { type Script, stepsOf } from './script.ts'

export interface ScriptedBackendOptions {
  readonly script: Script
  /** Waits for `delay` steps; resolves early when the signal aborts. Real time unless a test holds it. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface ScriptedBackend extends AgentBackend {
  /** What the process did when it was killed: running stalls end, and with them their sessions. */
  crash(): void
}

export function createScriptedBackend(options: ScriptedBackendOptions): ScriptedBackend {
  const sessions = new Set<AgentSession>()
  const crashers = new Set<() => void>()
  let sessionCount = 0

  async function createSession(session: SessionOptions): Promise<AgentSession> {
    sessionCount += 1
    const driver = createScriptedDriver(options, session, { number: sessionCount, crashers })
    const opened = createAgentSession(driver, () => sessions.delete(opened))
    sessions.add(opened)
    return opened
  }

  return {
    async initialize() {},
    invokeOnce: (message, session, context) => invokeOnce(() => createSession(session), message, context),
    createSession,
    async teardown() {
      await Promise.all([...sessions].map((session) => session.close()))
    },
    crash() {
      for (const crash of crashers) crash()
    },
  }
}

function createScriptedDriver(
  { script, sleep = realSleep }: ScriptedBackendOptions,
  session: SessionOptions,
  place: { readonly number: number; readonly crashers: Set<() => void> },
): TurnDriver {
  const backendSessionId = session.resume ?? `scripted-${place.number}`
  let { model, permissionMode } = session
  let turn = 0
  let ids = 0
  let interrupting = new AbortController()

  async function* play(input: string): AsyncGenerator<BackendEvent, void> {
    let crash = () => {}
    const crashed = new Promise<void>((resolve) => (crash = resolve))
    place.crashers.add(crash)
    try {
      if (turn === 0) yield started({ ...session, model, permissionMode }, backendSessionId)
      yield* playSteps(stepsOf(script, input, turn), null, {
        options: { ...session, model, permissionMode },
        signal: interrupting.signal,
        crashed,
        sleep,
        newId: (kind) => `${kind}_${place.number}_${++ids}`,
        spent: { requests: 0, costUsd: 0 },
      })
      if (interrupting.signal.aborted) throw new TurnStop('interrupted')
    } finally {
      place.crashers.delete(crash)
      turn += 1
    }
  }

  return {
    async *turn(input) {
      interrupting = new AbortController()
      let record = { ...emptyTurn, numTurns: 1 }
      try {
        for await (const event of play(input)) {
          record = { ...record, ...recordEvent(record, event) }
          yield event
        }
        yield endTurn(record, { outcome: 'completed', durationMs: 0 })
      } catch (error) {
        if (!(error instanceof TurnStop)) throw error
        if (error.outcome === 'crashed')
          yield draft('BackendCrashed', { exitCode: null, signal: 'SIGKILL', stderr: '' })
        yield endTurn(record, { outcome: error.outcome, reason: error.message, durationMs: 0 })
      }
    },
    async interrupt() {
      interrupting.abort()
    },
    async setModel(next) {
      model = next
    },
    async setPermissionMode(next) {
      permissionMode = next
    },
    async close() {},
  }
}

function started(session: SessionOptions, backendSessionId: string): BackendEvent {
  return draft('AgentSessionStarted', {
    sessionId: session.sessionId,
    model: session.model,
    tools: [],
    cwd: session.cwd,
    permissionMode: session.permissionMode,
    mcpServers: [],
    slashCommands: [],
    apiKeySource: 'none',
    outputStyle: 'default',
    backendSessionId,
    modelSource: session.modelSource,
  })
}

const realSleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
