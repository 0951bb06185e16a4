// `quarterdeck doctor`: checks this machine and the agents, and says how to fix each problem.
import { resolve } from 'node:path'
import { visibleText } from '@quarterdeck/protocol'
import { type AddCommand, withDataOptions } from '../../flags/command-options.ts'
import { dataFolder, type SharedFlags } from '../../flags/runtime-options.ts'
import { paletteFor } from '../../render/palette.ts'
import { jsonText, print, type Terminal } from '../../terminal/terminal.ts'
import { checkAgents } from './check-agents.ts'
import { checkCompatListeners } from './check-compat-listeners.ts'
import { checkMachine } from './check-machine.ts'
import type { Check } from './check-port.ts'

export const addDoctorCommand: AddCommand = (program, terminal, finish) => {
  withDataOptions(program.command('doctor'))
    .description('check this machine and the agents, and say how to fix each problem')
    .argument('[paths...]', 'agent files or folders (default: this folder)', [])
    .action(async (paths: string[], flags) => finish(await doctor(terminal, flags, paths)))
}

export async function doctor(
  terminal: Terminal,
  flags: SharedFlags & { json?: boolean },
  paths: readonly string[] = [],
): Promise<number> {
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

function printCheck(terminal: Terminal, { name, verdict, finding, mend }: Check): void {
  const palette = paletteFor(terminal.stdout, terminal.env)
  const mark = { ok: palette.good('ok  '), warn: palette.brass('warn'), fail: palette.bad('fail') }[verdict]
  print(terminal, `${mark}  ${name}: ${visibleText(finding)}`)
  if (mend !== null) print(terminal, `      ${visibleText(mend)}`)
}
