// `quarterdeck validate FILE…`: every problem of every file at once.
import { resolve } from 'node:path'
import { formatProblem, validateFiles } from '@quarterdeck/engine'
import { visibleText } from '@quarterdeck/protocol'
import { paletteFor } from '../render/palette.ts'
import { jsonText, print, type Terminal } from '../terminal.ts'

export async function validate(
  terminal: Terminal,
  input: { files: readonly string[]; json: boolean },
): Promise<number> {
  const files = (input.files.length === 0 ? ['agent.yaml'] : input.files).map((file) => resolve(terminal.cwd, file))
  const report = await validateFiles(files, { env: terminal.env, cwd: terminal.cwd, homeDir: terminal.homeDir })
  const hasErrors = report.files.some((file) => !file.ok)
  if (input.json) print(terminal, jsonText(report))
  else printReport(terminal, report)
  return hasErrors ? 2 : 0
}

function printReport(terminal: Terminal, report: Awaited<ReturnType<typeof validateFiles>>): void {
  const palette = paletteFor(terminal.stdout, terminal.env)
  for (const { file, ok, errors, warnings } of report.files) {
    const verdict = ok ? palette.good('valid') : palette.bad(`${errors.length} error${errors.length === 1 ? '' : 's'}`)
    print(
      terminal,
      `${visibleText(file)}: ${verdict}${warnings.length === 0 ? '' : `, ${warnings.length} warning${warnings.length === 1 ? '' : 's'}`}`,
    )
    for (const problem of [...errors, ...warnings])
      print(terminal, `  ${visibleText(formatProblem(problem, terminal.cwd))}`)
  }
}
