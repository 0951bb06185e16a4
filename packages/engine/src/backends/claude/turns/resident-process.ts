// The CLI process of a session: started when a turn needs it, and restarted with the current settings after it has
// exited.
import { draft } from '@quarterdeck/protocol'
import type { BackendEvent, ChosenSettings } from '../../backend.ts'
import type { ClaudeProcess, ReceivedFromCli } from '../cli/claude-process.ts'
import { AnyMessage } from '../translate/sdk-message.ts'
import { noTotals } from '../translate/translation.ts'
import type { Translator } from './translator.ts'

export interface ResidentProcessOptions extends ChosenSettings {
  readonly translator: Translator
  /** Starts a process. `resume` is the id of the conversation to continue. */
  readonly start: (resume: string | null, chosen: ChosenSettings) => ClaudeProcess
  readonly resume: string | null
}

export type ResidentProcess = ReturnType<typeof createResidentProcess>

export function createResidentProcess(options: ResidentProcessOptions) {
  const { translator } = options
  let chosen: ChosenSettings = {
    model: options.model,
    permissionMode: options.permissionMode,
    thinking: options.thinking,
  }
  let resume = options.resume
  let process: ClaudeProcess | null = null
  // The model that the process has, which may differ from the one chosen while no process ran.
  let model = options.model
  let starting: Promise<ClaudeProcess> | null = null
  let turns = 0
  let leaving: Promise<void> = Promise.resolve()
  let unreported: readonly BackendEvent[] = []

  /** One start at a time: a turn that arrives while the process is being warmed waits for the same process. */
  function ensure(): Promise<ClaudeProcess> {
    starting ??= start().finally(() => (starting = null))
    return starting
  }

  async function start(): Promise<ClaudeProcess> {
    if (process !== null) return process
    turns = 0
    resume = translator.backendSessionId() ?? resume
    const started = options.start(resume, chosen)
    process = started
    model = chosen.model
    // A resumed conversation continues its totals if the last process ended cleanly, and starts from zero after a
    // crash. The same applies if there is no answer.
    const totals = resume === null ? noTotals : await started.totals()
    if (totals === null) unreported = [totalsUnknown(resume)]
    translator.restart(chosen, totals ?? noTotals)
    return started
  }

  /** Forgets the process and kills it if it still runs. */
  async function drop(): Promise<void> {
    // A second call waits for the process that the first one is still ending.
    if (process !== null) leaving = process.kill()
    process = null
    await leaving
  }

  return {
    current: (): ClaudeProcess | null => process,
    /** The backend's id of the conversation; `null` before the first turn. */
    conversation: (): string | null => translator.backendSessionId() ?? resume,
    /** Turns that the current process has begun. */
    turns: (): number => turns,
    countTurn() {
      turns += 1
    },
    ensure,
    /** Ends the current process, if any, and starts another with the same conversation. */
    async startAgain(): Promise<ClaudeProcess> {
      await drop()
      return ensure()
    },
    drop,
    /**
     * A conversation whose transcript is missing cannot be resumed: the next process starts a new one. Returns an event
     * that reports this, or `null` if the message means something else.
     */
    resumeFailed(received: ReceivedFromCli): BackendEvent | null {
      const error = resume === null ? null : resumeFailure(received)
      if (error === null) return null
      const report = draft('RawBackendMessage', { kind: 'resume_failed', message: { resume, error } })
      resume = null
      return report
    },
    /** Events about the last start, returned once. */
    report(): readonly BackendEvent[] {
      const report = unreported
      unreported = []
      return report
    },
    async choose(change: Partial<ChosenSettings>) {
      chosen = { ...chosen, ...change }
      if (process === null || !process.isAlive()) return
      // Sending an unchanged model costs a round trip and, for some models, a billed request.
      if (change.model !== undefined && change.model !== model) {
        await process.setModel(change.model)
        model = change.model
        translator.choose(change.model)
      }
      if (change.permissionMode !== undefined) await process.setPermissionMode(change.permissionMode)
      if (change.thinking !== undefined) await process.setThinking(change.thinking)
    },
    /** Lets the process finish normally. */
    async stop() {
      if (process !== null) leaving = process.stop()
      process = null
      await leaving
    },
  }
}

const totalsUnknown = (resume: string | null): BackendEvent => {
  const error = 'the process does not report the earlier usage of this conversation: it may be counted twice'
  return draft('RawBackendMessage', { kind: 'totals_unknown', message: { resume, error } })
}

function resumeFailure(received: ReceivedFromCli): string | null {
  if (received.type !== 'message') return null
  const any = AnyMessage.safeParse(received.message)
  if (!any.success || any.data.type !== 'result' || !Array.isArray(any.data.errors)) return null
  return any.data.errors.map(String).find((text) => text.includes('No conversation found')) ?? null
}
