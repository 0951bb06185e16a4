// `quarterdeck doctor`: what is wrong on this machine and with the agents here, and how to mend it.
import { resolve } from 'node:path'
import { visibleText } from '@quarterdeck/protocol'
import { dataFolder, type SharedFlags } from '../../flags/runtime-options.ts'
import { paletteFor } from '../../render/palette.ts'
import { jsonText, print, type Terminal } from '../../terminal/terminal.ts'
import { checkAgents } from './check-agents.ts'
import { checkCompatListeners } from './check-compat-listeners.ts'
import { type Check, checkMachine } from './check-machine.ts'

export async function doctor(
  terminal: Terminal,
  flags: SharedFlags & { json?: boolean },
  paths: readonly string[] = [],
): Promise<number> {
  const machine = await checkMachine(terminal, dataFolder(terminal, flags))
  const places = (paths.length === 0 ? ['.'] : paths).map((path) => resolve(terminal.cwd, path))
  const checks = [
    ...machine,
    ...(await checkCompatListeners(terminal, flags)),
    ...(await checkAgents(terminal, places)),
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
