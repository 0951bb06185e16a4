// `quarterdeck validate PATH…`: lists every problem of every file.
import { resolve } from 'node:path'
import { formatProblem, validateFiles } from '@quarterdeck/engine'
import { visibleText } from '@quarterdeck/protocol'
import type { AddCommand } from '../../flags/command-options.ts'
import { paletteFor } from '../../render/palette.ts'
import { jsonText, print, type Terminal } from '../../terminal/terminal.ts'
import { createExcerpts, excerptLines } from './excerpt.ts'

type Report = Awaited<ReturnType<typeof validateFiles>>['files'][number]

export const addValidateCommand: AddCommand = (program, terminal, finish) => {
  program
    .command('validate')
    .description('check agent files and list every problem with line and column (exit 2 if a file is invalid)')
    .argument('[paths...]', 'agent files or folders (default: this folder)')
    .option('--json', 'print the report as JSON')
    .action(async (paths: string[], flags) => finish(await validate(terminal, { paths, json: flags.json === true })))
}

export async function validate(
  terminal: Terminal,
  input: { paths: readonly string[]; json: boolean },
): Promise<number> {
  const paths = (input.paths.length === 0 ? ['.'] : input.paths).map((path) => resolve(terminal.cwd, path))
  const { files } = await validateFiles(paths, { env: terminal.env, cwd: terminal.cwd, homeDir: terminal.homeDir })
  const reports = await withExcerpts(files)
  if (input.json) print(terminal, jsonText({ files: reports }))
  else for (const report of reports) printReport(terminal, report)
  const invalid = files.filter((file) => !file.ok).length
  if (!input.json && files.length > 1) print(terminal, `${counted(files.length, 'file')}, ${invalid} invalid`)
  return invalid > 0 ? 2 : 0
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

async function withExcerpts(files: readonly Report[]) {
  const excerpt = createExcerpts()
  const shown = (problems: Report['errors']) =>
    Promise.all(problems.map(async (problem) => ({ ...problem, excerpt: await excerpt(problem) })))
  return Promise.all(
    files.map(async (file) => ({ ...file, errors: await shown(file.errors), warnings: await shown(file.warnings) })),
  )
}

function printReport(terminal: Terminal, report: Awaited<ReturnType<typeof withExcerpts>>[number]): void {
  const palette = paletteFor(terminal.stdout, terminal.env)
  const { file, ok, errors, warnings } = report
  const verdict = ok ? palette.good('valid') : palette.bad(counted(errors.length, 'error'))
  const more = warnings.length === 0 ? '' : `, ${counted(warnings.length, 'warning')}`
  print(terminal, `${visibleText(file)}: ${verdict}${more}`)
  for (const problem of [...errors, ...warnings]) {
    print(terminal, `  ${visibleText(formatProblem(problem, terminal.cwd))}`)
    for (const line of problem.excerpt === null ? [] : excerptLines(problem.excerpt, problem))
      print(terminal, palette.dim(`      ${visibleText(line)}`))
  }
}
