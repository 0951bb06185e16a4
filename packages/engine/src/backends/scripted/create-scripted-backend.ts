// A deterministic backend without a model, for tests of the layers above the port.
import { type AgentTool, draft, sleep, type UserMessageId } from '@quarterdeck/protocol'
import type { AgentBackend, BackendEvent, SessionOptions } from '../backend.ts'

import { createSessionFactory } from '../driver/create-session-factory.ts'
import type { TurnDriver } from '../driver/turn-driver.ts'
import { emptyTurn, endTurn, recordEvent } from '../driver/turn-record.ts'
import { type Conversations, createConversations, rewindFiles, type ScriptedExchange } from './conversations.ts'
import { playSteps, ScriptStop } from './play-steps.ts'
import { type Script, stepsOf } from './script.ts'

export interface ScriptedBackendOptions {
  readonly script: Script
  /** Waits for `delay` steps; resolves early when the signal aborts. Real time by default. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  /** The tools of the agent file. */
  readonly tools?: readonly AgentTool[]
  readonly turnTimeoutMs?: number
}

export interface ScriptedBackend extends AgentBackend {
  /** Simulates a killed process: running stalls end, and with them their sessions. */
  crash(): void
}

export function createScriptedBackend(options: ScriptedBackendOptions): ScriptedBackend {
  const crashers = new Set<() => void>()
  const conversations = createConversations()
  let sessionCount = 0
  let branchCount = 0

  const factory = createSessionFactory({
    agent: { tools: [...(options.tools ?? [])], turnTimeoutMs: options.turnTimeoutMs ?? null },
    prepare: async () => null,
    async openDriver(session) {
      sessionCount += 1
      return createScriptedDriver(options, session, { number: sessionCount, crashers, conversations })
    },
  })

  return {
    ...factory,
    async branch({ backendSessionId, at }) {
      branchCount += 1
      const id = `${backendSessionId}-branch-${branchCount}`
      return conversations.branch(backendSessionId, id, at).length === 0 ? null : id
    },
    async forget() {},
    crash() {
      for (const crash of crashers) crash()
    },
  }
}

interface ScriptedSessionDeps {
  readonly number: number
  readonly crashers: Set<() => void>
  readonly conversations: Conversations
}

function createScriptedDriver(
  { script, sleep: sleepFor = sleep }: ScriptedBackendOptions,
  session: SessionOptions,
  deps: ScriptedSessionDeps,
): TurnDriver {
  const backendSessionId = session.resume ?? `scripted-${deps.number}`
  const exchanges = deps.conversations.open(backendSessionId)
  let { model, permissionMode } = session
  let turn = 0
  let ids = 0
  let interrupting = new AbortController()
  /** Messages added to the running turn; `null` if no turn accepts messages. */
  let steered: ScriptedPrompt[] | null = null

  async function* answer(
    { input, messageId }: ScriptedPrompt,
    crashed: Promise<void>,
  ): AsyncGenerator<BackendEvent, void> {
    const earlier = exchanges.map(({ prompt }) => prompt)
    const exchange = newExchange({ input, messageId })
    exchanges.push(exchange)
    const steps = stepsOf(script, { input, turn, earlier })
    turn += 1
    yield* playSteps(steps, {
      agent: null,
      options: { ...session, model, permissionMode },
      exchange,
      signal: interrupting.signal,
      crashed,
      sleep: sleepFor,
      newId: (kind) => `${kind}_${deps.number}_${++ids}`,
      spent: { requests: 0, costUsd: 0 },
    })
    if (interrupting.signal.aborted) throw new ScriptStop('interrupted')
  }

  async function* play(prompt: ScriptedPrompt): AsyncGenerator<BackendEvent, void> {
    let crash = () => {}
    const crashed = new Promise<void>((resolve) => (crash = resolve))
    deps.crashers.add(crash)
    const waiting = [prompt]
    steered = waiting
    try {
      if (turn === 0) yield started({ ...session, model, permissionMode }, backendSessionId)
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield* answer(next, crashed)
    } finally {
      steered = null
      // A message that was accepted but not answered is still part of the conversation.
      exchanges.push(...waiting.map(newExchange))
      deps.crashers.delete(crash)
    }
  }

  return {
    async *turn(input, messageId) {
      interrupting = new AbortController()
      let record = { ...emptyTurn, numTurns: 1 }
      try {
        for await (const event of play({ input, messageId })) {
          record = { ...record, ...recordEvent(record, event) }
          yield event
        }
        yield endTurn(record, { outcome: 'completed', durationMs: 0 })
      } catch (error) {
        if (!(error instanceof ScriptStop)) throw error
        if (error.outcome === 'crashed')
          yield draft('BackendCrashed', { exitCode: null, signal: 'SIGKILL', stderr: '' })
        yield endTurn(record, { outcome: error.outcome, reason: error.message, durationMs: 0 })
      }
    },
    async interrupt() {
      interrupting.abort()
    },
    async steer(input, messageId) {
      if (interrupting.signal.aborted) return false
      steered?.push({ input, messageId })
      return steered !== null
    },
    async setModel(next) {
      model = next
    },
    async setPermissionMode(next) {
      permissionMode = next
    },
    // Ignored: a script contains its own thinking.
    async setThinking() {},
    async rewindFiles(messageId, { dryRun }) {
      return rewindFiles(exchanges, messageId, { cwd: session.cwd, dryRun })
    },
    async close() {},
  }
}

interface ScriptedPrompt {
  readonly input: string
  readonly messageId: UserMessageId | null
}

const newExchange = ({ input, messageId }: ScriptedPrompt): ScriptedExchange => {
  return { messageId, prompt: input, replies: [], filesBefore: new Map() }
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
