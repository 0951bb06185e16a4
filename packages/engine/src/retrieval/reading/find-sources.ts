// The files of a source: one file, a folder recursively, or a pattern. Links are followed only inside the project or
// the source itself, and never to hidden files: dot-files and the data folder contain secrets.
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { hasErrorCode } from '@quarterdeck/protocol'
import { isWithin } from '../../system/path-inside.ts'
import { largestFile, tooLarge } from './read-bytes.ts'
import { isReadable, readableTypes } from './read-document.ts'

export interface SourceFile {
  /** For users: relative to the agent file's folder, with forward slashes. */
  readonly path: string
  /** With links resolved. */
  readonly file: string
  readonly size: number
  readonly mtimeMs: number
}

export interface FoundSources {
  readonly files: readonly SourceFile[]
  /** Files that exist but are not read. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[]
}

export interface SourceRoots {
  /** The folder of the agent file. */
  readonly projectFolder: string
  /** Nothing in it is ever read, by any path. */
  readonly dataDir: string | null
}

/** The message is a sentence that contains the source; `fault` is the part about the problem. */
export class SourceProblem extends Error {
  readonly reason: 'missing' | 'unsupported'
  readonly fault: string

  constructor(source: string, reason: SourceProblem['reason'], fault: string) {
    super(`${source} ${fault}`)
    this.reason = reason
    this.fault = fault
  }
}

/** Throws a `SourceProblem`, or an error of the file system. */
export async function findSources(source: string, { projectFolder, dataDir }: SourceRoots): Promise<FoundSources> {
  const isPlain = (await kindOf(source)) !== null
  const base = isPlain ? source : fixedPart(source)
  const kind = await kindOf(base)
  if (kind === null) throw new SourceProblem(source, 'missing', 'does not exist')
  if (kind === 'file' && !isReadable(base)) {
    throw new SourceProblem(source, 'unsupported', `cannot be read: only ${readableTypes.join(' ')} are supported`)
  }
  const folder = kind === 'file' ? dirname(base) : base
  const realFolder = await realpath(folder)
  const refusal = createGuard({
    folder,
    realFolder,
    realProject: await realpath(projectFolder).catch(() => realFolder),
    realDataDir: dataDir === null ? null : await realpath(dataDir).catch(() => dataDir),
  })
  const walk = createWalk({
    refusal,
    shownFrom: isWithin({ path: base, folder: projectFolder }) ? projectFolder : folder,
  })
  const matches = base === source ? () => true : globMatcher(source)
  if (kind === 'file') await walk.take(base)
  else await walk.folder(base, matches)
  return walk.end()
}

interface ResolvedRoots {
  readonly folder: string
  readonly realFolder: string
  readonly realProject: string
  readonly realDataDir: string | null
}

/** Why the target of a path is not read; `null` if it is. */
function createGuard({ folder, realFolder, realProject, realDataDir }: ResolvedRoots) {
  const isHidden = (relativePath: string) => relativePath.split(sep).some((part) => part.startsWith('.'))
  return (path: string, real: string): string | null => {
    if (realDataDir !== null && isWithin({ path: real, folder: realDataDir })) return 'in the data folder'
    // Hidden files count only behind a link. Otherwise the source names them, or the walk has excluded them.
    if (real === join(realFolder, relative(folder, path))) return null
    const roots = [realFolder, realProject].filter((root) => isWithin({ path: real, folder: root }))
    if (roots.length === 0) return 'a link that leads out of the project'
    return roots.every((root) => isHidden(relative(root, real))) ? 'a link to a hidden file' : null
  }
}

interface WalkOptions {
  readonly refusal: ReturnType<typeof createGuard>
  readonly shownFrom: string
}

function createWalk({ refusal, shownFrom }: WalkOptions) {
  const files: SourceFile[] = []
  const skipped: { path: string; reason: string }[] = []
  const seen = new Set<string>()
  const shown = (path: string) => relative(shownFrom, path).split(sep).join('/') || basename(path)

  /** The target of a path; `null` if it is not read. */
  async function admitted(path: string): Promise<string | null> {
    const real = await realpath(path)
    const reason = refusal(path, real)
    if (reason === null) return real
    skipped.push({ path: shown(path), reason })
    return null
  }

  async function take(path: string): Promise<void> {
    const file = await admitted(path)
    if (file === null) return
    const { size, mtimeMs } = await stat(file)
    if (size > largestFile) skipped.push({ path: shown(path), reason: tooLarge })
    else files.push({ path: shown(path), file, size, mtimeMs })
  }

  async function folder(path: string, matches: (path: string) => boolean): Promise<void> {
    const real = await admitted(path)
    // A link to a parent folder would cause an endless loop.
    if (real === null || seen.has(real)) return
    seen.add(real)
    for (const name of (await readdir(path)).sort()) {
      if (name.startsWith('.') || name === 'node_modules') continue
      await unlessRemoved(() => entry(join(path, name), matches))
    }
  }

  async function entry(inner: string, matches: (path: string) => boolean): Promise<void> {
    const kind = await kindOf(inner)
    if (kind === 'folder') await folder(inner, matches)
    else if (kind === null) skipped.push({ path: shown(inner), reason: await missingReason(inner) })
    else if (!matches(inner)) return
    else if (isReadable(inner)) await take(inner)
    else skipped.push({ path: shown(inner), reason: 'of an unsupported type' })
  }

  return { take, folder, end: (): FoundSources => ({ files, skipped }) }
}

/** A file that is deleted during the walk is ignored. */
async function unlessRemoved(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error
  }
}

const missingReason = async (path: string): Promise<string> =>
  (await lstat(path)).isSymbolicLink() ? 'a broken link' : 'neither a file nor a folder'

async function kindOf(path: string): Promise<'file' | 'folder' | null> {
  try {
    const found = await stat(path)
    return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : null
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ELOOP')) return null
    throw error
  }
}

const magic = /[*?[{]/

/** The folder above the first part with a wildcard; the source itself if it has none. */
function fixedPart(source: string): string {
  const parts = source.split(sep)
  const first = parts.findIndex((part) => magic.test(part))
  return first === -1 ? source : parts.slice(0, first).join(sep) || sep
}

/** `**` any folders, `*` any name, `?` one character, `[abc]`, `{a,b}`. */
function globMatcher(pattern: string): (path: string) => boolean {
  const expression = pattern.replaceAll(
    /\{([^{}]*)\}|\*\*\/|\*\*|[*?]|\[!?[^\]]+\]|[.+^$()|\\\]{}[]/g,
    (part, choices) => {
      if (choices !== undefined) return `(?:${String(choices).split(',').map(literally).join('|')})`
      if (part === '**/') return '(?:[^/]+/)*'
      if (part === '**') return '.*'
      if (part === '*') return '[^/]*'
      if (part === '?') return '[^/]'
      return part.length > 1 ? part.replace(/^\[!/, '[^') : `\\${part}`
    },
  )
  const test = new RegExp(`^${expression}$`)
  return (path) => test.test(path.split(sep).join('/'))
}

const literally = (text: string): string => text.replaceAll(/[.+^$()|\\\]{}[?*]/g, '\\$&')
