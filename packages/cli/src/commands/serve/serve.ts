// `quarterdeck serve [PATH…]`: starts the server, prints its addresses, and drains running turns on a stop signal.
import { spawn } from 'node:child_process'
import { relative, resolve } from 'node:path'
import { dataFolders } from '@quarterdeck/engine'
import { visibleText } from '@quarterdeck/protocol'
import { type Runtime, startServer } from '@quarterdeck/server'
import { dataFolder, runtimeOptions, type SharedFlags } from '../../flags/runtime-options.ts'
import { printIdleHookWarnings } from '../../notices/idle-hook-warnings.ts'
import { createEventLines } from '../../render/event-lines.ts'
import { paletteFor } from '../../render/palette.ts'
import { commandFor } from '../../terminal/command-line.ts'
import { createServerLogger } from '../../terminal/command-logger.ts'
import { print, remark, type Terminal } from '../../terminal/terminal.ts'
import { waitForStop } from '../../terminal/wait-for-stop.ts'
import { type CompatFlags, compatListenerPlans, printCompatListeners } from './compat-listeners.ts'
import { watchAgents } from './watch-agents.ts'

export interface ServeFlags extends SharedFlags, CompatFlags {
  readonly port: number
  readonly host: string
  readonly open: boolean
  readonly watch?: boolean
  readonly graceSeconds: number
  readonly logFormat?: 'text' | 'json'
  readonly publicUrl?: string
  readonly origin?: readonly string[]
  readonly acceptLoss?: boolean
  /** A file or an http(s) address. */
  readonly auditCopy?: string
}

export async function serve(
  terminal: Terminal,
  input: { paths: readonly string[]; flags: ServeFlags },
): Promise<number> {
  const { flags } = input
  const palette = paletteFor(terminal.stdout, terminal.env)
  const paths = input.paths.length === 0 ? ['.'] : input.paths
  const format = flags.logFormat ?? (terminal.stderr.isTTY === true ? 'text' : 'json')
  const logger = createServerLogger(terminal, { format, isVerbose: flags.verbose === true })
  const allowedOrigins = listedOrigins(flags.origin, terminal.env)
  const compatListeners = compatListenerPlans(flags, allowedOrigins)
  const server = await startServer({
    runtime: {
      ...runtimeOptions(terminal, flags, paths),
      logger,
      isWatching: flags.watch === true,
      ...(format === 'text'
        ? {
            onWritten: createEventLines(
              (line) => remark(terminal, line),
              (command) => commandFor(terminal, command, flags),
            ),
          }
        : {}),
      ...auditOptions(terminal, flags),
    },
    host: flags.host,
    port: flags.port,
    ...(flags.publicUrl === undefined ? {} : { publicUrl: flags.publicUrl }),
    allowedOrigins,
    compatListeners,
  })
  const stopped = waitForStop(terminal)
  let watching: { stop(): void } | null = null
  try {
    const { engine } = server.runtime
    if (server.port !== flags.port && flags.port !== 0)
      print(terminal, `port ${flags.port} is taken: using ${server.port}`)
    if (engine.recovered > 0) print(terminal, recoveredText(engine.recovered))
    await printAgents(terminal, server.runtime)
    const { agents } = server.runtime
    watching = flags.watch === true ? await watchAgents({ agents, logger, cwd: terminal.cwd }) : null
    await printCompatListeners(terminal, server, compatListeners)
    const link = server.loginLink()
    print(
      terminal,
      `\nReady. This link signs your browser in once, within ten minutes:\n\n  ${palette.bold(palette.accent(link))}\n`,
    )
    print(
      terminal,
      palette.dim(`API at ${server.url}, token in ${dataFolders(dataFolder(terminal, flags)).token}. Ctrl-C stops.`),
    )
    print(terminal, palette.dim(`process id ${process.pid}`))
    if (watching !== null) print(terminal, palette.dim('watching: saved changes take effect immediately'))
    if (flags.open && terminal.stdout.isTTY === true && terminal.env.CI === undefined) openBrowser(link)
    await stopped.first
    print(terminal, `stopping: running turns get ${flags.graceSeconds} s to finish; a second signal stops at once`)
    await Promise.race([server.drain(flags.graceSeconds * 1000), stopped.second])
  } finally {
    watching?.stop()
    await server.close()
    stopped.forget()
  }
  print(terminal, 'stopped. Nothing is lost: the next start continues where this one ended.')
  return 0
}

/** The origins of `--origin` and of `CORS_ORIGINS`, which separates them with commas. */
export const listedOrigins = (
  flags: readonly string[] | undefined,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] => [
  ...(flags ?? []),
  ...(env.CORS_ORIGINS ?? '')
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== ''),
]

const auditOptions = ({ cwd }: Terminal, { acceptLoss = false, auditCopy }: ServeFlags) => ({
  acceptLoss,
  ...(auditCopy === undefined ? {} : { auditCopy: auditCopy.includes('://') ? auditCopy : resolve(cwd, auditCopy) }),
})

const recoveredText = (count: number): string =>
  count === 1 ? 'recovered 1 interrupted session' : `recovered ${count} interrupted sessions`

async function printAgents(terminal: Terminal, runtime: Runtime): Promise<void> {
  const loaded = await runtime.agents.loaded()
  if (loaded.length === 0) print(terminal, 'no agent files here yet: add an agent.yaml and the server picks it up')
  const broken = new Map((await runtime.agents.list()).map(({ file, problems }) => [file, problems]))
  const width = Math.max(0, ...loaded.map(({ name }) => name.length))
  for (const { name, file } of loaded) {
    const problems = broken.get(file) ?? []
    const relativePath = relative(terminal.cwd, file)
    const path = relativePath.startsWith('..') ? file : relativePath
    print(terminal, `agent ${name.padEnd(width)} ${visibleText(path)}${problems.length === 0 ? '' : '  cannot start:'}`)
    for (const problem of problems) print(terminal, `  ${visibleText(problem)}`)
  }
  await printIdleHookWarnings(terminal, runtime)
  for (const sentence of new Set(loaded.map(({ announcement }) => announcement))) {
    if (sentence !== null) print(terminal, visibleText(sentence))
  }
  const simulated = loaded.filter(
    ({ agent, announcement }) => agent?.modelSource === 'simulator' && announcement === null,
  )
  if (simulated.length > 0) {
    const names = simulated.map(({ name }) => name).join(', ')
    print(terminal, visibleText(`as configured: local simulator for ${names}, nothing is sent anywhere`))
  }
  const { rate } = runtime.settings
  const meetsProvider = loaded.some(({ agent }) => agent?.modelSource === 'provider' && agent.gateway)
  if (meetsProvider && !rate.isTierExplicit && rate.limits === null) {
    print(
      terminal,
      `requests are limited to rate tier ${rate.tier} of the provider: set rate_limit_tier in config.yaml to change it`,
    )
  }
}

/** Best effort: the link is printed in any case. */
function openBrowser(link: string): void {
  const command = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open'
  const child = spawn(command, [link], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined) // no desktop: the user opens the link
  child.unref()
}
