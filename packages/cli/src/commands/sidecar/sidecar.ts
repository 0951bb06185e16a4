// `quarterdeck sidecar [PATH…]`: the session API for the program that started it, over standard input and output.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createClient } from '@quarterdeck/client'
import { QuarterdeckError, sleep, visibleText } from '@quarterdeck/protocol'
import {
  createLocalHost,
  createRecoveringHost,
  createRemoteHost,
  openRuntime,
  type RpcHost,
  type Runtime,
  readVersion,
  servePipe,
} from '@quarterdeck/server'
import { addressOf, namedServer } from '../../connect/connect-server.ts'
import type { BackendChoice } from '../../connect/open-agent.ts'
import { type AddCommand, wholeNumber, withRuntimeOptions } from '../../flags/command-options.ts'
import { runtimeOptions, type SharedFlags } from '../../flags/runtime-options.ts'
import { printIdleHookWarnings } from '../../notices/idle-hook-warnings.ts'
import { showIngestion } from '../../notices/show-ingestion.ts'
import { createCommandLogger } from '../../terminal/command-logger.ts'
import { misuse } from '../../terminal/misuse.ts'
import { remark, type Terminal } from '../../terminal/terminal.ts'
import { waitForStop } from '../../terminal/wait-for-stop.ts'

export interface SidecarFlags extends SharedFlags {
  readonly graceSeconds: number
  /** The server to forward to, instead of this process. */
  readonly connect?: string
  readonly tokenFile?: string
}

export interface SidecarInput {
  readonly paths: readonly string[]
  readonly flags: SidecarFlags
}

export const addSidecarCommand: AddCommand = (program, terminal, finish) => {
  withRuntimeOptions(program.command('sidecar'))
    .description(
      'serve the session API to the calling program: JSON-RPC 2.0 over stdin and stdout, one message per line',
    )
    .argument('[paths...]', 'folders or agent files (default: this folder)')
    .option('--connect <url>', 'forward to the server at this address instead of running agents in this process')
    .option('--token-file <file>', 'with --connect: file with the key for that server (or QUARTERDECK_TOKEN)')
    .option('--grace-seconds <n>', 'time running turns get to finish when the input ends', wholeNumber(), 10)
    .action(async (paths: string[], flags) => finish(await sidecar(terminal, { paths, flags })))
}

/** Ends with its input, when its output closes, or at a signal. Only JSON-RPC is written to standard output. */
export async function sidecar(terminal: Terminal, input: SidecarInput, backend: BackendChoice = {}): Promise<number> {
  const stopped = waitForStop(terminal)
  try {
    const worker = await openWorker(terminal, input, backend)
    await serve(terminal, input.flags, { worker, stopped }).finally(worker.close)
    if (!(await isTaken(terminal))) terminal.exitNow(0)
    return 0
  } finally {
    stopped.forget()
  }
}

/** Executes the requests. */
interface Worker {
  readonly host: RpcHost
  /** The server it forwards to; `null` for this process. */
  readonly server: string | null
  drain(graceMs: number): Promise<void>
  close(): Promise<void>
}

async function openWorker(terminal: Terminal, { paths, flags }: SidecarInput, backend: BackendChoice): Promise<Worker> {
  if (flags.connect === undefined) return openHere(terminal, { paths, flags }, backend)
  const own = paths.length > 0 || flags.modelSource !== undefined || flags.script !== undefined
  if (own) {
    throw misuse('--connect uses the agents and models of that server: leave out PATH, --model-source and --script')
  }
  const token = await tokenOf(terminal, flags)
  const server = await namedServer(terminal, flags, { url: flags.connect, from: '--connect', ...token })
  // Fails early for a wrong address or key.
  await createClient(server).serverInfo()
  const noop = async () => undefined
  return { host: createRemoteHost(server), server: server.baseUrl, drain: noop, close: noop }
}

async function tokenOf(terminal: Terminal, { tokenFile }: SidecarFlags): Promise<{ token?: string }> {
  if (tokenFile === undefined) return {}
  const file = resolve(terminal.cwd, tokenFile)
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new QuarterdeckError('config.unreadable', `the token file ${file} cannot be read`, { cause })
  })
  return { token: text.trim() }
}

async function openHere(terminal: Terminal, { paths, flags }: SidecarInput, backend: BackendChoice): Promise<Worker> {
  if (flags.tokenFile !== undefined) throw misuse('--token-file needs --connect')
  const options = runtimeOptions(terminal, flags, paths.length === 0 ? ['.'] : paths)
  const { dataDir, logger } = options
  const runtime = await openRuntime({ ...options, ...backend, role: 'command', address: null, canAsk: true })
  try {
    showIngestion(terminal, runtime.engine.retrieval)
    await remarkAgentProblems(terminal, runtime)
    await remarkRunningServer(terminal, dataDir)
  } catch (error) {
    await runtime.close()
    throw error
  }
  let isDraining = false
  // The pipe applies back-pressure to the calling program, so no other limit is needed.
  const unbounded = { perSecond: 1e9, burst: 1e9 }
  const rateLimits = { requests: unbounded, changes: unbounded }
  const host = createLocalHost({ runtime, dataDir, logger, rateLimits, isDraining: () => isDraining })
  return {
    host: createRecoveringHost(host, runtime.engine),
    server: null,
    async drain(graceMs) {
      isDraining = true
      await runtime.engine.drain(graceMs)
    },
    async close() {
      await host.close()
      await runtime.close()
    },
  }
}

async function remarkAgentProblems(terminal: Terminal, runtime: Runtime): Promise<void> {
  const loaded = await runtime.agents.loaded()
  if (loaded.length === 0) remark(terminal, 'no agent files here yet: add an agent.yaml to start sessions')
  for (const { name, problems } of await runtime.agents.list()) {
    for (const problem of problems) remark(terminal, visibleText(`agent ${name} cannot start: ${problem}`))
  }
  await printIdleHookWarnings(terminal, runtime)
  for (const sentence of new Set(loaded.map(({ announcement }) => announcement))) {
    if (sentence !== null) remark(terminal, visibleText(sentence))
  }
}

async function remarkRunningServer(terminal: Terminal, dataDir: string): Promise<void> {
  const address = await addressOf(dataDir)
  if (address === null) return
  const works = `to use it: quarterdeck sidecar --connect ${address}`
  remark(terminal, visibleText(`a server runs on ${dataDir}, and its sessions are refused here; ${works}`))
}

interface Serving {
  readonly worker: Worker
  readonly stopped: ReturnType<typeof waitForStop>
}

async function serve(terminal: Terminal, flags: SidecarFlags, { worker, stopped }: Serving): Promise<void> {
  const graceMs = flags.graceSeconds * 1000
  const pipe = servePipe({
    input: terminal.stdin,
    output: terminal.stdout,
    host: worker.host,
    logger: createCommandLogger(terminal, flags.verbose === true ? 'debug' : 'warn'),
    ready: { version: readVersion(), pid: process.pid, server: worker.server },
  })
  try {
    await Promise.race([pipe.ended, stopped.first])
    // Requests from before the end are still answered, and the turns they started may finish.
    await Promise.race([pipe.settled(), stopped.second, sleep(answeredWithinMs, undefined, { ref: false })])
    await Promise.race([worker.drain(graceMs), stopped.second])
    await Promise.race([pipe.delivered(), stopped.second, sleep(deliveredWithinMs, undefined, { ref: false })])
  } finally {
    await pipe.close()
  }
}

/** Time limit for calls in progress. */
const answeredWithinMs = 2000
/** Time limit for writing the last events. */
const deliveredWithinMs = 2000
/** Time limit for reading the last output. */
const takenWithinMs = 2000

/** False when the reader of standard output holds it open without reading: the process would never end. */
async function isTaken({ stdout }: Terminal): Promise<boolean> {
  const deadline = performance.now() + takenWithinMs
  while (stdout.writableLength > 0 && stdout.errored === null && !stdout.destroyed) {
    if (performance.now() > deadline) return false
    await sleep(20)
  }
  return true
}
