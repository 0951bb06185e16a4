// Checks files that only a session or a test opens. Loading an agent skips them because they may be created later;
// `validate` checks them (`checksFiles`).
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { isProgram, programPath } from '../../isolation/program-file.ts'
import type { AgentContext } from '../agent-context.ts'
import { nearestName } from '../problems/nearest-name.ts'
import { formatPath, type Path, valueAt } from '../problems/value-path.ts'
import { asWritten } from '../schema/describe-issue.ts'

export interface NamedFile {
  /** Absolute. */
  readonly target: string
  /** The setting that names the file. */
  readonly path: Path
  /** `error` if no session can start without it. */
  readonly severity: 'error' | 'warning'
  /** Appended to the message. */
  readonly consequence?: string
}

/** Returns whether the file exists, and reports it otherwise. */
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
  /** Appended after a colon. */
  readonly reason: string
  readonly suggestion?: string | undefined
}

/** Reports the problem at the setting that names the file. */
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

/** Checks a program given by path, or the script of a known interpreter. Skips lookups on PATH. */
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

export const isFolder = async (path: string): Promise<boolean> => (await kindOf(path)) === 'folder'

const isThere = async (path: string): Promise<boolean> => (await kindOf(path)) !== null

const wildcard = /[*?[\]{}]/

/** The written path with its first wrong segment corrected, if that exists. Never shows values from the environment. */
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
