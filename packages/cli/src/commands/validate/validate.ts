// `quarterdeck validate PATH…`: lists every problem of every file.
import { resolve } from 'node:path'
import { formatProblem, namesSecret, readText, validateFiles } from '@quarterdeck/engine'
import { visibleText } from '@quarterdeck/protocol'
import type { AddCommand } from '../../flags/command-options.ts'
import { paletteFor } from '../../render/palette.ts'
import { jsonText, print, type Terminal } from '../../terminal/terminal.ts'

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

// The line of a file in which a problem was found. Lines that may hold a secret are never shown.
interface ProblemPosition {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The path of the value: `tools[0].env.TOKEN`. */
  readonly path: string
}

/** `null` if the file has no such line, the line is empty, or it may hold a secret. */
type Excerpt = (position: ProblemPosition) => Promise<string | null>

const longest = 160
const largest = 1024 * 1024
const keys = /(?<name>[\w-]+)["']?\s*[:=]/g
/** Long, with letters and digits mixed, and not a path: looks like a key. */
const keyLike = /(?<![\w/.-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}/
/** A URL with a user name, a query or something that looks like a key. */
const revealingUrl = /:\/\/\S*(?:[@?]|[\w-]{20,})/

const namesOne = (text: string): boolean =>
  [...text.matchAll(keys)].some(({ groups }) => namesSecret(groups?.name ?? ''))

export function createExcerpts(): Excerpt {
  const files = new Map<string, Promise<readonly string[]>>()
  const linesOf = (file: string): Promise<readonly string[]> => {
    const known = files.get(file)
    if (known !== undefined) return known
    // A folder, a pipe, an endless file or a deleted one: the problem itself reports it.
    const read = readText(file, largest).then((found) => (found.type === 'text' ? found.text.split(/\r?\n/) : []))
    files.set(file, read)
    return read
  }
  return async ({ file, line, path }) => {
    const text = (await linesOf(file))[line - 1]?.trimEnd() ?? ''
    if (text === '' || text.length > longest) return null
    if (
      /(?:^|\.)(?:env|headers)(?:\.|$)/.test(path) ||
      namesOne(text) ||
      [keyLike, revealingUrl].some((one) => one.test(text))
    )
      return null
    return text
  }
}

/** The line with its number, and a marker below the column. */
export function excerptLines(excerpt: string, { line, column }: ProblemPosition): readonly string[] {
  const number = String(line)
  const before = excerpt.slice(0, column - 1).replaceAll(/[^\t]/g, ' ')
  return [`${number} | ${excerpt}`, `${' '.repeat(number.length)} | ${before}^`]
}
