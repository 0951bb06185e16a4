// `quarterdeck doctor`: checks this machine and the agents, and says how to fix each problem.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { visibleText } from '@quarterdeck/protocol'
import { connectServerIfRunning } from '../../connect/connect-server.ts'
import { type AddCommand, withDataOptions } from '../../flags/command-options.ts'
import { dataFolder, type JsonFlags } from '../../flags/runtime-options.ts'
import { approvalNotice } from '../../notices/approval-notice.ts'
import { paletteFor } from '../../render/palette.ts'
import { jsonText, print, type Terminal } from '../../terminal/terminal.ts'
import type { Check } from './check.ts'
import { checkAgents } from './check-agents.ts'
import { checkMachine } from './check-machine.ts'

export const addDoctorCommand: AddCommand = (program, terminal, finish) => {
  withDataOptions(program.command('doctor'))
    .description('check this machine and the agents, and say how to fix each problem')
    .argument('[paths...]', 'agent files or folders (default: this folder)')
    .action(async (paths: string[], flags) => finish(await doctor(terminal, flags, paths)))
}

export async function doctor(terminal: Terminal, flags: JsonFlags, paths: readonly string[] = []): Promise<number> {
  const machine = await checkMachine(terminal, dataFolder(terminal, flags))
  const folders = (paths.length === 0 ? ['.'] : paths).map((path) => resolve(terminal.cwd, path))
  const checks = [
    ...machine,
    ...(await checkCompatListeners(terminal, flags)),
    ...(await checkAgents(terminal, folders)),
  ]
  if (flags.json === true) print(terminal, jsonText({ checks }))
  else for (const check of checks) printCheck(terminal, check)
  return checks.some((check) => check.verdict === 'fail') ? 3 : 0
}

function printCheck(terminal: Terminal, { name, verdict, finding, fix }: Check): void {
  const palette = paletteFor(terminal.stdout, terminal.env)
  const mark = { ok: palette.good('ok  '), warn: palette.warning('warn'), fail: palette.bad('fail') }[verdict]
  print(terminal, `${mark}  ${name}: ${visibleText(finding)}`)
  if (fix !== null) print(terminal, `      ${visibleText(fix)}`)
}

/** A warning for each compatibility listener of the server on this data folder: they need no token. */
async function checkCompatListeners(terminal: Terminal, flags: JsonFlags): Promise<readonly Check[]> {
  if (!existsSync(dataFolder(terminal, flags))) return []
  try {
    const client = await connectServerIfRunning(terminal, flags)
    if (client === null) return []
    const [{ compatListeners }, { agents }] = await Promise.all([client.serverInfo(), client.listAgents()])
    return compatListeners.map(({ wire, url, agent }) => {
      const waits = approvalNotice(terminal, { wire, agent }, agents)
      const open = `${url} lets every program on this machine use agent "${agent}" without a token`
      return {
        name: `Compatibility listener ${wire}`,
        verdict: 'warn',
        finding: waits === null ? open : `${open}; its ${waits}`,
        fix: 'If this is not intended, start the server without --compat.',
      }
    })
  } catch {
    return [] // the checks of the data folder and the port report what is wrong with the server
  }
}
