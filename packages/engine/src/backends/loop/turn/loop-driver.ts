// Runs turns of the loop for the port: emits events with one end, and applies changed settings in between.
import { type Capabilities, draft, type EventDraft, messageOf } from '@quarterdeck/protocol'
import { createChannel } from '../../../async/channel.ts'
import type { BackendEvent, ChosenSettings } from '../../backend.ts'
import type { TurnDriver, TurnPrompt } from '../../driver/turn-driver.ts'
import { emptyTurn, endTurn } from '../../driver/turn-record.ts'
import { reminder } from '../conversation/entry.ts'
import { missingResults } from '../conversation/missing-results.ts'
import { offeredTools } from '../tools/offered-tools.ts'
import { stopOfSignal, TurnStop } from '../turn-stop.ts'
import type { LoopSession } from './loop-session.ts'
import { createLoopTurn, type LoopTurn } from './loop-turn.ts'
import { runLoopTurn, submitSteered } from './run-loop-turn.ts'

export interface LoopDriverOptions {
  /** Called with the first turn. */
  readonly open: () => Promise<OpenedSession>
  readonly choose: (change: Partial<ChosenSettings>) => void
  /** Aborting ends the running turn as a crash of the process would. */
  readonly crashSignal: AbortSignal | null
  /** Called when a bug ended a turn. */
  readonly onBug: (error: unknown) => void
}

export interface OpenedSession {
  readonly session: LoopSession
  /** Events about how the conversation was opened. */
  readonly openingEvents: readonly BackendEvent[]
}

/** How many events a turn may be ahead of its reader. */
const channelBound = 100

interface RunningTurn {
  readonly turn: LoopTurn
  readonly abort: AbortController
}

export function createLoopDriver(options: LoopDriverOptions): TurnDriver {
  let running: RunningTurn | null = null
  let opening: Promise<OpenedSession> | null = null
  let isStarted = false

  const openOnce = (): Promise<OpenedSession> => {
    opening ??= options.open().catch((error: unknown) => {
      opening = null
      throw error
    })
    return opening
  }

  async function run(turn: LoopTurn, prompt: TurnPrompt): Promise<EventDraft<'TurnEnded'>> {
    const opened = await openOnce().catch(failedToOpen)
    if (!('session' in opened)) return opened
    const { session, openingEvents } = opened
    const startedAt = session.now()
    const stop = await stopOfWork(async () => {
      if (!isStarted) for (const event of [...openingEvents, startedEvent(session)]) await turn.emit(event)
      isStarted = true
      await runLoopTurn(session, turn, prompt)
    }, turn)
    turn.close()
    // The turn keeps its outcome even if its last entries cannot be stored.
    await completeConversation(session, turn, stop).catch(options.onBug)
    if (stop?.outcome === 'crashed') {
      await turn.emit(draft('BackendCrashed', { exitCode: null, signal: null, stderr: stop.message }))
    }
    return turn.ended(stop, session.now() - startedAt)
  }

  /**
   * How the turn ended; `null` if it completed. An unexpected error counts as a crash, like the death of a process in
   * other backends.
   */
  async function stopOfWork(work: () => Promise<void>, { signal }: LoopTurn): Promise<TurnStop | null> {
    try {
      await work()
      return null
    } catch (error) {
      if (error instanceof TurnStop) return error
      if (signal.aborted) return stopOfSignal(signal)
      options.onBug(error)
      return new TurnStop('crashed', messageOf(error))
    }
  }

  function play(prompt: TurnPrompt): AsyncIterable<BackendEvent> {
    const abort = new AbortController()
    const events = createChannel<BackendEvent>(channelBound)
    const turn = createLoopTurn(abort.signal, events.push)
    running = { turn, abort }
    const onDeath = () => abort.abort(new TurnStop('crashed'))
    options.crashSignal?.addEventListener('abort', onDeath, { once: true })
    void run(turn, prompt).then((end) => {
      options.crashSignal?.removeEventListener('abort', onDeath)
      running = null
      void events.push(end)
      events.end()
    })
    return events
  }

  return {
    turn: (text, messageId, images = []) => play({ text, messageId, images }),
    async interrupt(because = '') {
      running?.abort.abort(new TurnStop('interrupted', because))
    },
    async steer(text, messageId) {
      return running?.turn.steer({ text, messageId, images: [] }) ?? false
    },
    setModel: async (model) => options.choose({ model }),
    setPermissionMode: async (permissionMode) => options.choose({ permissionMode }),
    setThinking: async (thinking) => options.choose({ thinking }),
    async capabilities() {
      return capabilitiesOf((await openOnce()).session)
    },
    // There is no process to end, and the turn holds all resources.
    async close() {},
  }
}

/** The end of a turn whose conversation could not be opened. */
const failedToOpen = (error: unknown): EventDraft<'TurnEnded'> =>
  endTurn(emptyTurn, { outcome: 'failed', reason: messageOf(error), durationMs: 0 })

/** Completes the conversation after a turn that broke off. */
async function completeConversation(session: LoopSession, turn: LoopTurn, stop: TurnStop | null): Promise<void> {
  // Without results for its calls, providers would refuse the conversation.
  const results = missingResults(session.conversation.entries())
  if (results !== null) await session.conversation.add(results)
  await submitSteered(session, turn)
  if (stop?.outcome !== 'interrupted') return
  const text = stop.message === '' ? interruptedNote : reminder(`The turn was ended: ${stop.message}`)
  await session.conversation.add({ type: 'note', text })
}

/** The same text as in the Claude CLI, so that readers recognize it in both. */
const interruptedNote = '[Request interrupted by user]'

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
