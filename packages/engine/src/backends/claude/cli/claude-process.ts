// One CLI process and the communication with it, across the turns of a session.
import type { UUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type McpServerConfig, type Options, query } from '@anthropic-ai/claude-agent-sdk'
import { type PermissionMode, type Thinking, withTimeout } from '@quarterdeck/protocol'
import { descendantsOf, isRunning, type ProcessIdentity } from '../../../system/linux-processes.ts'
import { SessionUsage } from '../translate/sdk-message.ts'
import { noTotals, type Totals } from '../translate/translation.ts'
import { createMessageQueue } from './message-queue.ts'
import { sdkPermissionMode } from './sdk-options.ts'
import { type Cli, type CliExit, type CliProcessOptions, spawnCli } from './spawn-cli.ts'

/** The next input: a message, silence for the time limit, or the end of the process. */
export type ReceivedFromCli =
  | { readonly type: 'message'; readonly message: unknown }
  | { readonly type: 'quiet' }
  | { readonly type: 'ended'; readonly exit: CliExit }

export type ClaudeProcess = ReturnType<typeof startClaudeProcess>

/** An idle process exits 0.1 s after its input ends (measured); this limit is for one that does not. */
const stopTimeoutMs = 5_000
/**
 * A new process answers once it has started. A stopped process never answers: the change waits in its input, and the
 * next process starts with it.
 */
const answerTimeoutMs = 30_000

export function startClaudeProcess(options: Options, processOptions: CliProcessOptions) {
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

  /** One read at a time, kept across time limits so that no message is lost. A kill ends it. */
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

  /**
   * If the CLI wrote nothing to stderr, the SDK's error explains the end of the stream. A signal needs no explanation.
   */
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
    /** Waits for the next message, at most `limitMs` (without a limit if `null`). */
    async receive(limitMs: number | null): Promise<ReceivedFromCli> {
      const received = limitMs === null ? await read() : await withTimeout(read(), limitMs)
      if (received === null) return { type: 'quiet' }
      if (received.type === 'message') pending = null
      return received
    },
    /** This and the following calls send a request to the CLI and wait for its answer, with a time limit. */
    interrupt: () => withTimeout(conversation.interrupt(), answerTimeoutMs),
    setModel: (model: string) => withTimeout(conversation.setModel(model), answerTimeoutMs),
    setPermissionMode: (mode: PermissionMode) =>
      withTimeout(conversation.setPermissionMode(sdkPermissionMode(mode)), answerTimeoutMs),
    setThinking(thinking: Thinking) {
      // Zero disables thinking (measured). A process started without thinking has no display setting of its own.
      const change =
        thinking === null
          ? conversation.setMaxThinkingTokens(0)
          : conversation.setMaxThinkingTokens(thinking.budgetTokens, 'summarized')
      return withTimeout(change, answerTimeoutMs)
    },
    /** What the CLI reported about itself at startup; `null` if it does not start. */
    initialized: (): Promise<unknown> =>
      withTimeout(conversation.initializationResult(), answerTimeoutMs).catch(() => null),
    mcpServers: (): Promise<unknown> => withTimeout(conversation.mcpServerStatus(), answerTimeoutMs).catch(() => null),
    /** Replaces the MCP servers that run inside this process. Rejects if the CLI refuses one of them. */
    async setMcpServers(servers: Readonly<Record<string, McpServerConfig>>) {
      const answer = await withTimeout(conversation.setMcpServers({ ...servers }), answerTimeoutMs)
      const refused = Object.entries(answer?.errors ?? {}).map(([name, why]) => `${name}: ${why}`)
      if (refused.length > 0) throw new Error(refused.join('; '))
    },
    /** Rejects if the CLI has no checkpoint for this message. */
    rewindFiles: (uuid: UUID, how: { readonly dryRun: boolean }): Promise<unknown> =>
      withTimeout(conversation.rewindFiles(uuid, how), answerTimeoutMs),
    /** The usage of the session before this process took it over; `null` if the CLI does not report it. */
    async totals(): Promise<Totals | null> {
      const ask = async () =>
        conversation.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({ skipBehaviors: true })
      // A failed request counts as no answer. Whether that matters depends on whether the process is still running.
      const answer = await withTimeout(ask(), answerTimeoutMs).catch(() => null)
      const usage = SessionUsage.safeParse(answer)
      if (!usage.success) return answer === null && (await waitForExit()) !== null ? noTotals : null
      const { model_usage: modelUsage, total_cost_usd: costUsd, total_api_duration_ms: apiMs } = usage.data.session
      return { modelUsage, costUsd, apiMs }
    },
    isAlive: (): boolean => !hasExited,
    residentBytes(): number | null {
      const self = cli?.self ?? null
      return self === null ? null : residentBytesOf(self)
    },
    /** Lets an idle process finish, and kills it if it does not. */
    async stop() {
      queue.end()
      if (cli !== null && !hasExited) await withTimeout(cli.exited, stopTimeoutMs)
      await kill()
    },
    kill,
  }
}

/** The memory of a process and its descendants; `null` if the system does not report it. */
function residentBytesOf(root: ProcessIdentity): number | null {
  if (!isRunning(root)) return null
  const sizes = [root, ...descendantsOf(root.pid)].map(({ pid }) => residentBytes(pid)).filter((size) => size !== null)
  return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0)
}

function residentBytes(pid: number): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) * 1024
  } catch {
    // The process has exited.
    return null
  }
}
