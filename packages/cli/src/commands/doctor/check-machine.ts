// Each check reports what it found and how to fix a problem.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { claudeExecutable, openLog, probeIsolation } from '@quarterdeck/engine'
import { messageOf } from '@quarterdeck/protocol'
import { defaultPort, portOf, portRule } from '../../flags/port.ts'
import { misuse } from '../../terminal/misuse.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { Check } from './check.ts'
import { checkPort } from './check-port.ts'

/** Throws `request.invalid` when QUARTERDECK_PORT is not a port. */
export async function checkMachine(terminal: Terminal, dataDir: string): Promise<readonly Check[]> {
  const port = portFrom(terminal)
  return [
    checkNode(),
    checkCli(),
    checkCredentials(terminal),
    ...(await checkIsolation()),
    await checkDataFolder(dataDir),
    await checkPort(port, { own: await ownAddress(dataDir) }),
  ]
}

function portFrom({ env }: Terminal): number {
  const text = env.QUARTERDECK_PORT
  if (text === undefined) return defaultPort
  const port = portOf(text)
  if (port === null) throw misuse(`QUARTERDECK_PORT is "${text}": it ${portRule}`)
  return port
}

const ok = (name: string, finding: string): Check => ({ name, verdict: 'ok', finding, fix: null })

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return ok('Node', process.version)
  return {
    name: 'Node',
    verdict: 'fail',
    finding: `${process.version} is too old`,
    fix: 'Install Node 20.19 or newer.',
  }
}

function checkCli(): Check {
  const name = 'Claude CLI'
  const file = claudeExecutable()
  if (file === null) {
    return { name, verdict: 'fail', finding: 'not installed', fix: 'Run npm ci again, with optional dependencies.' }
  }
  const { status, stdout } = spawnSync(file, ['--version'], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin' },
    timeout: 30_000,
  })
  if (status === 0) return ok(name, stdout.trim())
  return { name, verdict: 'fail', finding: 'does not start', fix: `Try it by hand: ${file} --version` }
}

function checkCredentials({ env }: Terminal): Check {
  const name = 'Provider key'
  if (env.ANTHROPIC_API_KEY) return ok(name, 'ANTHROPIC_API_KEY is set')
  return {
    name,
    verdict: 'warn',
    finding: 'ANTHROPIC_API_KEY is not set',
    fix: 'Agents can use the local simulator (--model-source simulator); set the variable to use the provider.',
  }
}

async function checkIsolation(): Promise<readonly Check[]> {
  const { pidNamespace, ownProc, hidesFiles, why } = await probeIsolation()
  const fix = `Agents that run programs do not start without this (${why ?? 'unknown reason'}). Run on Linux with user namespaces allowed, or accept the risk with --allow-unsandboxed.`
  const verdict = (name: string, holds: boolean, [yes, no]: readonly [string, string]): Check =>
    holds ? ok(name, yes) : { name, verdict: 'warn', finding: no, fix }
  return [
    verdict('Process tree', pidNamespace, [
      'agents die with the server',
      'agents may outlive a killed server until the next start',
    ]),
    verdict('Keys', ownProc, [
      'an agent cannot read other processes’ environment',
      'an agent can read /proc/*/environ',
    ]),
    verdict('Token and log', hidesFiles, ['hidden from agents', 'an agent that reads files can reach the API token']),
  ]
}

/** The address of the server on this folder, if one is running. */
async function ownAddress(dataDir: string): Promise<string | null> {
  if (!existsSync(dataDir)) return null
  try {
    const log = await openLog(dataDir)
    return await log.serverAddress().finally(log.close)
  } catch {
    return null // the check of the data folder reports the problem
  }
}

async function checkDataFolder(dataDir: string): Promise<Check> {
  const name = 'Data folder'
  let folder = dataDir
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  try {
    if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`)
    await access(folder, constants.W_OK | constants.X_OK)
    if (folder !== dataDir) return ok(name, `${dataDir} will be created`)
    const log = await openLog(dataDir)
    const { sessions } = await log.listSessions({ limit: 1 })
    await log.close()
    return ok(name, `${dataDir}${sessions.length === 0 ? ' has no sessions yet' : ' is readable'}`)
  } catch (error) {
    const finding = messageOf(error)
    // No command works without it.
    return { name, verdict: 'fail', finding, fix: 'Choose another with --data FOLDER.' }
  }
}
