// Opens the runtime with exactly one agent file.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { QuarterdeckError, visibleText } from '@quarterdeck/protocol'
import { openRuntime, type Runtime, type RuntimeOptions } from '@quarterdeck/server'
import { runtimeOptions, type SharedFlags } from '../flags/runtime-options.ts'
import { showIngestion } from '../notices/show-ingestion.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface OpenAgent {
  readonly runtime: Runtime
  readonly agentName: string
}

export interface OpenAgentOptions {
  /** A file, or a folder with an `agent.yaml`. */
  readonly path: string
  readonly flags: SharedFlags
  readonly canAsk: boolean
  /** Called for each call that was denied because there was no person to approve it. */
  readonly onUnattended?: RuntimeOptions['onUnattended']
  /** Overrides the model of the file. */
  readonly turnTimeoutMs?: number
  /** `note`: the model is not called. */
  readonly credentials?: 'note'
  /** Do not print the progress of reading documents. */
  readonly isQuiet?: boolean
}

/** Tests replace the Claude backend with this. */
export type BackendChoice = Pick<RuntimeOptions, 'createBackend'>

/** Throws with every problem of a file that cannot be used. */
export async function openAgent(
  terminal: Terminal,
  { path, flags, canAsk, onUnattended, turnTimeoutMs, credentials, isQuiet }: OpenAgentOptions,
  backend: BackendChoice = {},
): Promise<OpenAgent> {
  const options = runtimeOptions(terminal, flags, [agentFile(terminal, path)])
  const special = {
    ...(onUnattended === undefined ? {} : { onUnattended }),
    ...(turnTimeoutMs === undefined ? {} : { turnTimeoutMs }),
    // Without a model no session starts, so no program runs unsandboxed.
    ...(credentials === undefined ? {} : { credentials, allowUnsandboxed: true }),
  }
  const runtime = await openRuntime({ ...options, ...backend, ...special, role: 'command', address: null, canAsk })
  try {
    const [summary] = await runtime.engine.agents.list()
    if (summary === undefined) throw new QuarterdeckError('agent.not-found', `${path} contains no agent`)
    if (summary.problems.length > 0) throw new QuarterdeckError('config.invalid', summary.problems.join('\n'))
    await runtime.engine.agents.load(summary.name)
    if (isQuiet !== true) showIngestion(terminal, runtime.engine.retrieval)
    return { runtime, agentName: summary.name }
  } catch (error) {
    await runtime.close()
    throw error
  }
}

const mostNamed = 10

export function agentFile(terminal: Terminal, path: string): string {
  const absolute = resolve(terminal.cwd, path)
  if (!existsSync(absolute)) {
    throw new QuarterdeckError('agent.not-found', `${path}: the file does not exist. Give the path of an agent.yaml.`)
  }
  if (!statSync(absolute).isDirectory()) return absolute
  const inside = join(absolute, 'agent.yaml')
  if (existsSync(inside)) return inside
  const others = readdirSync(absolute).filter((name) => /(?:^|\.)agent\.ya?ml$/.test(name))
  const named = others
    .toSorted()
    .slice(0, mostNamed)
    .map((name) => visibleText(join(path, name)))
  const more = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : ''
  const hint = named.length === 0 ? '' : `. Name the one you mean: ${named.join(', ')}${more}`
  throw new QuarterdeckError('agent.not-found', `${path}: no agent.yaml in this folder${hint}`)
}
