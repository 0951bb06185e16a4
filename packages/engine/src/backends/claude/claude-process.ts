// One CLI process and the conversation with it, across the turns of a session.
import type { UUID } from 'node:crypto'
import { type McpServerConfig, type Options, query } from '@anthropic-ai/claude-agent-sdk'
import type { PermissionMode, Thinking } from '@quarterdeck/protocol'
import { within } from '../../within.ts'
import { createMessageQueue, type Prompt } from './message-queue.ts'
import { sdkPermissionMode } from './options.ts'
import { residentBytesOf } from './process-load.ts'
import { type Cli, type CliExit, type CliPlace, spawnCli } from './spawn-cli.ts'
import { SessionUsage } from './translate/sdk-message.ts'
import { noTotals, type Totals } from './translate/translation.ts'

/** What came next: a message, nothing for a while, or the end of the process. */
export type Heard =
  | { readonly type: 'message'; readonly message: unknown }
  | { readonly type: 'quiet' }
  | { readonly type: 'ended'; readonly exit: CliExit }

export interface ClaudeProcess {
  send(prompt: Prompt, uuid: UUID): void
  /** Waits for the next message, at most so long (for ever without a limit). */
  hear(limitMs: number | null): Promise<Heard>
  /** These ask the CLI and wait for its answer, but not for ever. */
  interrupt(): Promise<void>
  setModel(model: string): Promise<void>
  setPermissionMode(mode: PermissionMode): Promise<void>
  setThinking(thinking: Thinking): Promise<void>
  /** What it said about itself when it was up; `null` when it does not come up. */
  initialized(): Promise<unknown>
  mcpServers(): Promise<unknown>
  /** Replaces the servers that run inside this process. Rejects when it does not take one of them. */
  setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<void>
  /** Rejects when the CLI knows no checkpoint of this message. */
  rewindFiles(uuid: UUID, options: { readonly dryRun: boolean }): Promise<unknown>
  /** What the session had used when this process took it over; `null` when it does not say. */
  totals(): Promise<Totals | null>
  isAlive(): boolean
  residentBytes(): number | null
  /** Lets an idle process finish, and ends it when it does not. */
  stop(): Promise<void>
  kill(): Promise<void>
}

/** An idle process ends 0.1 s after its input (measured); this is for one that does not. */
const stopPatienceMs = 5_000
/**
 * A new process answers when it is up. One that is stopped never does: what it was asked to change waits in its input,
 * and the next process is started with it.
 */
const answerPatienceMs = 30_000

export function startClaudeProcess(options: Options, place: CliPlace): ClaudeProcess {
  const queue = createMessageQueue()
  let cli: Cli | null = null
  let hasExited = false
  const spawnClaudeCodeProcess: Options['spawnClaudeCodeProcess'] = (spawnOptions) => {
    cli = spawnCli(spawnOptions, place)
    void cli.exited.then(() => (hasExited = true))
    return cli.spawned
  }
  const conversation = query({ prompt: queue.messages, options: { ...options, spawnClaudeCodeProcess } })
  let pending: Promise<Heard> | null = null
  let isKilled = false
  let onKilled = () => {}

  /** One read at a time, kept when a limit passes: a message is never lost to a timer. A kill ends it. */
  function read(): Promise<Heard> {
    pending ??= new Promise((resolve) => {
      const end = async (error = '') => resolve({ type: 'ended', exit: await exit(error) })
      onKilled = () => void end()
      if (isKilled) return onKilled()
      conversation.next().then(
        (step) => (step.done ? end() : resolve({ type: 'message', message: step.value })),
        (error: unknown) => end(String(error)),
      )
    })
    return pending
  }

  /** The stream may end a moment before the process does. */
  const gone = async (): Promise<CliExit | null> => (cli === null ? null : await within(cli.exited, stopPatienceMs))

  /** Where the CLI left no words, those of the SDK say why the stream ended; a signal says enough. */
  const exit = async (error: string): Promise<CliExit> => {
    const how = (await gone()) ?? { exitCode: null, signal: null, stderr: '' }
    return how.stderr === '' && how.signal === null ? { ...how, stderr: error } : how
  }

  const kill = async () => {
    queue.end()
    await cli?.kill()
    conversation.close()
    isKilled = true
    onKilled()
  }

  return {
    send: queue.push,
    async hear(limitMs) {
      const heard = limitMs === null ? await read() : await within(read(), limitMs)
      if (heard === null) return { type: 'quiet' }
      if (heard.type === 'message') pending = null
      return heard
    },
    async interrupt() {
      await within(conversation.interrupt(), answerPatienceMs)
    },
    async setModel(model) {
      await within(conversation.setModel(model), answerPatienceMs)
    },
    async setPermissionMode(mode) {
      await within(conversation.setPermissionMode(sdkPermissionMode(mode)), answerPatienceMs)
    },
    async setThinking(thinking) {
      // Zero switches it off (measured); a process that was started without thinking has no display of its own.
      const change =
        thinking === null
          ? conversation.setMaxThinkingTokens(0)
          : conversation.setMaxThinkingTokens(thinking.budgetTokens, 'summarized')
      await within(change, answerPatienceMs)
    },
    initialized: () => within(conversation.initializationResult(), answerPatienceMs).catch(() => null),
    mcpServers: () => within(conversation.mcpServerStatus(), answerPatienceMs).catch(() => null),
    async setMcpServers(servers) {
      const answer = await within(conversation.setMcpServers({ ...servers }), answerPatienceMs)
      const refused = Object.entries(answer?.errors ?? {}).map(([name, why]) => `${name}: ${why}`)
      if (refused.length > 0) throw new Error(refused.join('; '))
    },
    rewindFiles: (uuid, how) => within(conversation.rewindFiles(uuid, how), answerPatienceMs),
    async totals() {
      const ask = async () =>
        conversation.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({ skipBehaviors: true })
      // A refusal is no answer; whether it matters is decided by whether there is still somebody to give one.
      const answer = await within(ask(), answerPatienceMs).catch(() => null)
      const told = SessionUsage.safeParse(answer)
      if (!told.success) return answer === null && (await gone()) !== null ? noTotals : null
      const { model_usage: modelUsage, total_cost_usd: costUsd, total_api_duration_ms: apiMs } = told.data.session
      return { modelUsage, costUsd, apiMs }
    },
    isAlive: () => !hasExited,
    residentBytes() {
      const self = cli?.self ?? null
      return self === null ? null : residentBytesOf(self)
    },
    async stop() {
      queue.end()
      if (cli !== null && !hasExited) await within(cli.exited, stopPatienceMs)
      await kill()
    },
    kill,
  }
}
