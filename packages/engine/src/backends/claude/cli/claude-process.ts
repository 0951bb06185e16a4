// One CLI process and the conversation with it, across the turns of a session.
import type { UUID } from 'node:crypto'
import { type McpServerConfig, type Options, query } from '@anthropic-ai/claude-agent-sdk'
import type { PermissionMode, Thinking } from '@quarterdeck/protocol'
import { withTimeout } from '../../../async/with-timeout.ts'
import { SessionUsage } from '../translate/sdk-message.ts'
import { noTotals, type Totals } from '../translate/translation.ts'
import { createMessageQueue, type Prompt } from './message-queue.ts'
import { residentBytesOf } from './process-load.ts'
import { sdkPermissionMode } from './sdk-options.ts'
import { type Cli, type CliExit, type CliProcessOptions, spawnCli } from './spawn-cli.ts'

/** What came next: a message, nothing for a while, or the end of the process. */
export type ReceivedFromCli =
  | { readonly type: 'message'; readonly message: unknown }
  | { readonly type: 'quiet' }
  | { readonly type: 'ended'; readonly exit: CliExit }

export interface ClaudeProcess {
  send(prompt: Prompt, uuid: UUID): void
  /** Waits for the next message, at most so long (for ever without a limit). */
  receive(limitMs: number | null): Promise<ReceivedFromCli>
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
const stopTimeoutMs = 5_000
/**
 * A new process answers when it is up. One that is stopped never does: what it was asked to change waits in its input,
 * and the next process is started with it.
 */
const answerTimeoutMs = 30_000

export function startClaudeProcess(options: Options, processOptions: CliProcessOptions): ClaudeProcess {
  const queue = createMessageQueue()
  let cli: Cli | null = null
  let hasExited = false
  const spawnClaudeCodeProcess: Options['spawnClaudeCodeProcess'] = (spawnOptions) => {
    cli = spawnCli(spawnOptions, processOptions)
    void cli.exited.then(() => (hasExited = true))
    return cli.spawned
  }
  const conversation = query({ prompt: queue.messages, options: { ...options, spawnClaudeCodeProcess } })
  let pending: Promise<ReceivedFromCli> | null = null
  let isKilled = false
  let onKilled = () => {}

  /** One read at a time, kept when a limit passes: a message is never lost to a timer. A kill ends it. */
  function read(): Promise<ReceivedFromCli> {
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
  const waitForExit = async (): Promise<CliExit | null> =>
    cli === null ? null : await withTimeout(cli.exited, stopTimeoutMs)

  /** Where the CLI left no words, those of the SDK say why the stream ended; a signal says enough. */
  const exit = async (error: string): Promise<CliExit> => {
    const how = (await waitForExit()) ?? { exitCode: null, signal: null, stderr: '' }
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
    async receive(limitMs) {
      const received = limitMs === null ? await read() : await withTimeout(read(), limitMs)
      if (received === null) return { type: 'quiet' }
      if (received.type === 'message') pending = null
      return received
    },
    async interrupt() {
      await withTimeout(conversation.interrupt(), answerTimeoutMs)
    },
    async setModel(model) {
      await withTimeout(conversation.setModel(model), answerTimeoutMs)
    },
    async setPermissionMode(mode) {
      await withTimeout(conversation.setPermissionMode(sdkPermissionMode(mode)), answerTimeoutMs)
    },
    async setThinking(thinking) {
      // Zero switches it off (measured); a process that was started without thinking has no display of its own.
      const change =
        thinking === null
          ? conversation.setMaxThinkingTokens(0)
          : conversation.setMaxThinkingTokens(thinking.budgetTokens, 'summarized')
      await withTimeout(change, answerTimeoutMs)
    },
    initialized: () => withTimeout(conversation.initializationResult(), answerTimeoutMs).catch(() => null),
    mcpServers: () => withTimeout(conversation.mcpServerStatus(), answerTimeoutMs).catch(() => null),
    async setMcpServers(servers) {
      const answer = await withTimeout(conversation.setMcpServers({ ...servers }), answerTimeoutMs)
      const refused = Object.entries(answer?.errors ?? {}).map(([name, why]) => `${name}: ${why}`)
      if (refused.length > 0) throw new Error(refused.join('; '))
    },
    rewindFiles: (uuid, how) => withTimeout(conversation.rewindFiles(uuid, how), answerTimeoutMs),
    async totals() {
      const ask = async () =>
        conversation.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({ skipBehaviors: true })
      // A refusal is no answer; whether it matters is decided by whether there is still somebody to give one.
      const answer = await withTimeout(ask(), answerTimeoutMs).catch(() => null)
      const usage = SessionUsage.safeParse(answer)
      if (!usage.success) return answer === null && (await waitForExit()) !== null ? noTotals : null
      const { model_usage: modelUsage, total_cost_usd: costUsd, total_api_duration_ms: apiMs } = usage.data.session
      return { modelUsage, costUsd, apiMs }
    },
    isAlive: () => !hasExited,
    residentBytes() {
      const self = cli?.self ?? null
      return self === null ? null : residentBytesOf(self)
    },
    async stop() {
      queue.end()
      if (cli !== null && !hasExited) await withTimeout(cli.exited, stopTimeoutMs)
      await kill()
    },
    kill,
  }
}
