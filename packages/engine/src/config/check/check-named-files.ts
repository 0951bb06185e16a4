// Files that an agent file names and only a session or a test opens. Loading an agent leaves them alone, they may be made
// later; `validate` looks for them (`checksFiles`).
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { isProgram, programPath } from '../../isolation/program-file.ts'
import { nearestName } from '../problems/nearest-name.ts'
import { formatPath, type Path, valueAt } from '../problems/value-path.ts'
import type { AgentContext } from '../resolve/resolve-agent.ts'
import { asWritten } from '../schema/describe-issue.ts'

export interface NamedFile {
  /** Absolute. */
  readonly target: string
  /** Where it is written. */
  readonly path: Path
  /** An error where no session can begin without it. */
  readonly severity: 'error' | 'warning'
  /** What comes of it: ends the sentence. */
  readonly consequence?: string
}

/** Reports one that is not there, or no file; whether it is one. */
export async function checkFile(context: AgentContext, named: NamedFile): Promise<boolean> {
  const { target, path } = named
  const kind = await kindOf(target)
  if (kind === 'file') return true
  if (kind === 'folder') {
    reportUnusable(context, named, { reason: 'it is a folder' })
    return false
  }
  const suggestion = await nearestPath(context, path, target)
  reportUnusable(context, named, { reason: 'there is no such file', suggestion })
  return false
}

interface FileFault {
  /** Words that fit after a colon. */
  readonly reason: string
  readonly suggestion?: string | undefined
}

/** At the place that names the file. */
export function reportUnusable(
  { source }: AgentContext,
  { path, severity, consequence = '' }: NamedFile,
  { reason, suggestion }: FileFault,
): void {
  const written = asWritten(source, path, String(valueAt(source.value, path)))
  const message = `"${formatPath(path)}": cannot use ${written}: ${reason}${consequence}`
  source.report({ severity, code: 'config.unreadable', path, part: 'value', message, suggestion })
}

export interface NamedProgram extends Omit<NamedFile, 'target'> {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
}

const interpreters = ['node', 'python', 'python3', 'bash', 'sh', 'zsh', 'ruby', 'perl', 'tsx', 'bun']
const script = /^[^-].*\.(?:[cm]?[jt]s|py|sh|rb|pl)$/

/** A program by its path, or the script that a well-known one is to run. What is looked up on PATH depends on the machine. */
export async function checkProgram(context: AgentContext, program: NamedProgram): Promise<void> {
  const { command, args, cwd, path, ...common } = program
  const target = programPath(command, cwd)
  if (target !== null) {
    const named = { ...common, target, path: [...path, 'command'] }
    if ((await checkFile(context, named)) && !isProgram(target))
      reportUnusable(context, named, { reason: 'it cannot be executed (chmod +x)' })
    return
  }
  const [first = ''] = args
  if (!interpreters.includes(command) || !script.test(first)) return
  await checkFile(context, { ...common, target: resolve(cwd, first), path: [...path, 'args', 0] })
}

const kindOf = (path: string): Promise<'file' | 'folder' | null> =>
  stat(path).then(
    (found) => (found.isDirectory() ? 'folder' : 'file'),
    () => null,
  )

const isThere = async (path: string): Promise<boolean> => (await kindOf(path)) !== null

const wildcard = /[*?[\]{}]/

/** What was written with its first wrong name mended, if that leads somewhere; never a value of the environment. */
export async function nearestPath(
  { source }: Pick<AgentContext, 'source'>,
  path: Path,
  target: string,
): Promise<string | undefined> {
  const written = valueAt(source.value, path)
  if (typeof written !== 'string' || source.substitutions.has(formatPath(path))) return undefined
  let missing = target
  const below: string[] = []
  while (dirname(missing) !== missing && !(await isThere(dirname(missing)))) {
    below.unshift(basename(missing))
    missing = dirname(missing)
  }
  const names = await readdir(dirname(missing)).catch(() => [])
  const near = nearestName(basename(missing), names)
  const firstPattern = below.findIndex((name) => wildcard.test(name))
  const fixed = firstPattern === -1 ? below : below.slice(0, firstPattern)
  if (near === undefined || !(await isThere(resolve(dirname(missing), near, ...fixed)))) return undefined
  const [, plain = '', slashes = ''] = /^(.*?)(\/*)$/s.exec(written) ?? []
  const segments = plain.split('/')
  const index = segments.length - 1 - below.length
  return segments[index] === basename(missing) ? `${segments.with(index, near).join('/')}${slashes}` : undefined
}
