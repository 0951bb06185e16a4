// A command works with exactly one agent file.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { QuarterdeckError, visibleText } from '@quarterdeck/protocol'
import { type House, type HouseOptions, openHouse } from '@quarterdeck/server'
import { houseOptions, type SharedFlags } from './house-options.ts'
import { showIngestion } from './show-ingestion.ts'
import type { Terminal } from './terminal.ts'

export interface OpenAgent {
  readonly house: House
  readonly agentName: string
}

export interface AgentWish {
  /** A file, or a folder with an `agent.yaml` in it. */
  readonly path: string
  readonly flags: SharedFlags
  readonly canAsk: boolean
  /** Called for each call that was denied because nobody could be asked. */
  readonly onUnattended?: HouseOptions['onUnattended']
  /** Instead of what the file says. */
  readonly turnTimeoutMs?: number
  /** `note`: no model will be asked. */
  readonly credentials?: 'note'
  /** Nobody wants to know how far the documents are read. */
  readonly isQuiet?: boolean
}

/** What a test puts in the place of the Claude backend. */
export type BackendChoice = Pick<HouseOptions, 'createBackend'>

/** Throws with every problem of the file when it cannot be used. */
export async function openAgent(
  terminal: Terminal,
  { path, flags, canAsk, onUnattended, turnTimeoutMs, credentials, isQuiet }: AgentWish,
  backend: BackendChoice = {},
): Promise<OpenAgent> {
  const options = houseOptions(terminal, flags, [agentFile(terminal, path)])
  const special = {
    ...(onUnattended === undefined ? {} : { onUnattended }),
    ...(turnTimeoutMs === undefined ? {} : { turnTimeoutMs }),
    // Without a model no session starts, so no program runs unsandboxed.
    ...(credentials === undefined ? {} : { credentials, allowUnsandboxed: true }),
  }
  const house = await openHouse({ ...options, ...backend, ...special, role: 'command', address: null, canAsk })
  try {
    const [summary] = await house.engine.agents.list()
    if (summary === undefined) throw new QuarterdeckError('agent.not-found', `${path} holds no agent`)
    if (summary.problems.length > 0) throw new QuarterdeckError('config.invalid', summary.problems.join('\n'))
    await house.engine.agents.load(summary.name)
    if (isQuiet !== true) showIngestion(terminal, house.engine.retrieval)
    return { house, agentName: summary.name }
  } catch (error) {
    await house.close()
    throw error
  }
}

const mostNamed = 10

export function agentFile(terminal: Terminal, path: string): string {
  const absolute = resolve(terminal.cwd, path)
  if (!existsSync(absolute)) {
    throw new QuarterdeckError('agent.not-found', `${path}: no such file. Give the path of an agent.yaml.`)
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
