// Turns of the loop as the port knows them: events out, one end, and what can be changed in between.
import { type Capabilities, draft, type EventDraft } from '@quarterdeck/protocol'
import type { BackendEvent } from '../backend.ts'
import { createChannel } from '../channel.ts'
import type { TurnDriver } from '../create-agent-session.ts'
import { emptyTurn, endTurn } from '../turn-record.ts'
import type { Chosen, LoopSession } from './loop-session.ts'
import { type LoopTurn, newLoopTurn, type Said } from './loop-turn.ts'
import { playTurn } from './play-turn.ts'
import { offeredTools } from './tools/offered-tools.ts'
import { crash, stopOfSignal, TurnStop } from './turn-stop.ts'

export interface LoopDriverOptions {
  /** Opened with the first turn. */
  readonly open: () => Promise<OpenedSession>
  readonly choose: (change: Partial<Chosen>) => void
  /** Aborting ends the running turn as the death of a process would. */
  readonly lifeline: AbortSignal | null
  /** A bug ended a turn. */
  readonly onBug: (error: unknown) => void
}

export interface OpenedSession {
  readonly session: LoopSession
  /** What the log should say about how it was opened. */
  readonly news: readonly BackendEvent[]
}

/** A turn may run this far ahead of its reader. */
const channelBound = 100

interface RunningTurn {
  readonly turn: LoopTurn
  readonly abort: AbortController
}

export function createLoopDriver(options: LoopDriverOptions): TurnDriver {
  let running: RunningTurn | null = null
  let opened: Promise<OpenedSession> | null = null
  let isStarted = false

  const openOnce = (): Promise<OpenedSession> => {
    opened ??= options.open().catch((error: unknown) => {
      opened = null
      throw error
    })
    return opened
  }

  async function run(turn: LoopTurn, said: Said): Promise<EventDraft<'TurnEnded'>> {
    const { session, news } = await openOnce()
    const startedAt = session.now()
    if (!isStarted) {
      for (const event of news) await turn.tell(event)
      await turn.tell(startedEvent(session))
      isStarted = true
    }
    const stop = await playTurn(session, turn, said).then(
      () => null,
      (error: unknown) => stopOf(error, turn, options.onBug),
    )
    turn.isClosed = true
    if (stop?.outcome === 'interrupted') await session.conversation.add({ type: 'note', text: interruptedWords })
    if (stop?.outcome === 'crashed') {
      await turn.tell(draft('BackendCrashed', { exitCode: null, signal: null, stderr: stop.message }))
    }
    return ended(turn, stop, session.now() - startedAt)
  }

  function play(said: Said): AsyncIterable<BackendEvent> {
    const abort = new AbortController()
    const events = createChannel<BackendEvent>(channelBound)
    const turn = newLoopTurn(abort.signal, events.push)
    running = { turn, abort }
    const onDeath = () => abort.abort(crash)
    options.lifeline?.addEventListener('abort', onDeath, { once: true })
    void run(turn, said)
      .catch(failedToOpen)
      .then((end) => {
        options.lifeline?.removeEventListener('abort', onDeath)
        running = null
        void events.push(end)
        events.end()
      })
    return events
  }

  return {
    turn: (text, messageId, images = []) => play({ text, messageId, images }),
    async interrupt() {
      running?.abort.abort()
    },
    async steer(text, messageId) {
      if (running === null || running.turn.isClosed || running.abort.signal.aborted) return false
      running.turn.steered.push({ text, messageId, images: [] })
      return true
    },
    setModel: async (model) => options.choose({ model }),
    setPermissionMode: async (permissionMode) => options.choose({ permissionMode }),
    setThinking: async (thinking) => options.choose({ thinking }),
    async capabilities() {
      return capabilitiesOf((await openOnce()).session)
    },
    // There is no process: what it holds is held by the turn.
    async close() {},
  }
}

/** Before there was a conversation to go wrong. */
const failedToOpen = (error: unknown): EventDraft<'TurnEnded'> =>
  endTurn(emptyTurn, {
    outcome: 'failed',
    reason: error instanceof Error ? error.message : String(error),
    durationMs: 0,
  })

/** As the Claude CLI says it, so that whoever reads either conversation knows it. */
const interruptedWords = '[Request interrupted by user]'

/** A failure nobody expected is what the death of a process is elsewhere. */
function stopOf(error: unknown, { signal }: LoopTurn, onBug: (error: unknown) => void): TurnStop {
  if (error instanceof TurnStop) return error
  if (signal.aborted) return stopOfSignal(signal)
  onBug(error)
  return new TurnStop('crashed', error instanceof Error ? error.message : String(error))
}

function ended(turn: LoopTurn, stop: TurnStop | null, durationMs: number): EventDraft<'TurnEnded'> {
  const { record, requests, structuredOutput, response } = turn
  const result = { ...record, numTurns: requests, structuredOutput, response: response ?? record.response }
  return endTurn(result, {
    outcome: stop?.outcome ?? 'completed',
    ...(stop !== null && { reason: stop.message }),
    durationMs,
    durationApiMs: turn.apiMs,
    permissionDenials: turn.denials,
  })
}

function startedEvent({ options, conversation, chosen, canAsk }: LoopSession): BackendEvent {
  const { model, permissionMode } = chosen()
  return draft('AgentSessionStarted', {
    sessionId: options.sessionId,
    model,
    tools: offeredTools(options, canAsk).map(({ name }) => name),
    cwd: options.cwd,
    permissionMode,
    mcpServers: options.hostTools.servers().map(({ name, status }) => ({ name, status })),
    slashCommands: [],
    apiKeySource: 'none',
    outputStyle: 'default',
    backendSessionId: conversation.id,
    modelSource: options.modelSource,
  })
}

const capabilitiesOf = ({ options, catalog, canAsk }: LoopSession): Capabilities => ({
  commands: [],
  models: catalog.map(({ id, label }) => ({ id, label })),
  tools: offeredTools(options, canAsk).map(({ name }) => name),
  agents: [],
  mcpServers: options.hostTools.servers().map(({ name, status }) => ({ name, status })),
  account: null,
})
