// Which files a source means: one file, a folder with everything below it, or a pattern. Links are followed only inside
// the project or the source itself, and never to what is hidden there: secrets lie in dot-files, and in the data folder.
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { largestFile, tooLarge } from './read-bytes.ts'
import { isReadable, readableTypes } from './read-document.ts'

export interface SourceFile {
  /** As people know it: relative to the agent file's folder, with forward slashes. */
  readonly path: string
  /** Without a link in it. */
  readonly file: string
  readonly size: number
  readonly mtimeMs: number
}

export interface FoundSources {
  readonly files: readonly SourceFile[]
  /** What is there and is not read. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[]
}

export interface SourceRoots {
  /** Where the agent file is. */
  readonly projectFolder: string
  /** Nothing in it is ever read, whichever way leads there. */
  readonly dataDir: string | null
}

/** Its message is a sentence with the source in it, `fault` what is said of it there. */
export class SourceProblem extends Error {
  readonly reason: 'missing' | 'unsupported'
  readonly fault: string

  constructor(source: string, reason: SourceProblem['reason'], fault: string) {
    super(`${source} ${fault}`)
    this.reason = reason
    this.fault = fault
  }
}

/** Throws a `SourceProblem`, or what the file system says. */
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
  const walk = createWalk({ refusal, shownFrom: isWithin(base, projectFolder) ? projectFolder : folder })
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

/** Why what a path leads to is not read; `null` when it is. */
function createGuard({ folder, realFolder, realProject, realDataDir }: ResolvedRoots) {
  const isHidden = (way: string) => way.split(sep).some((part) => part.startsWith('.'))
  return (path: string, real: string): string | null => {
    if (realDataDir !== null && isWithin(real, realDataDir)) return 'in the data folder'
    // Not by a link: whoever wrote the source has named it, or the walk has come by it.
    if (real === join(realFolder, relative(folder, path))) return null
    const roots = [realFolder, realProject].filter((root) => isWithin(real, root))
    if (roots.length === 0) return 'a link that leads out of the project'
    return roots.every((root) => isHidden(relative(root, real))) ? 'a link to what is hidden' : null
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

  async function take(path: string): Promise<void> {
    const file = await realpath(path)
    const reason = refusal(path, file)
    if (reason !== null) {
      skipped.push({ path: shown(path), reason })
      return
    }
    const { size, mtimeMs } = await stat(file)
    if (size > largestFile) skipped.push({ path: shown(path), reason: tooLarge })
    else files.push({ path: shown(path), file, size, mtimeMs })
  }

  async function folder(path: string, matches: (path: string) => boolean): Promise<void> {
    const real = await realpath(path)
    const reason = refusal(path, real)
    if (reason !== null) {
      skipped.push({ path: shown(path), reason })
      return
    }
    // A link back to a folder above would go round for ever.
    if (seen.has(real)) return
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
    else skipped.push({ path: shown(inner), reason: 'of a type that is not supported' })
  }

  return { take, folder, end: (): FoundSources => ({ files, skipped }) }
}

/** What somebody removes while the folder is read was not there. */
async function unlessRemoved(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

export const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

const missingReason = async (path: string): Promise<string> =>
  (await lstat(path)).isSymbolicLink() ? 'a link to nothing' : 'neither a file nor a folder'

async function kindOf(path: string): Promise<'file' | 'folder' | null> {
  try {
    const found = await stat(path)
    return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : null
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ELOOP')) return null
    throw error
  }
}

const isWithin = (path: string, folder: string): boolean => {
  const way = relative(folder, path)
  // A name may begin with two dots: only the whole part leads up.
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

const magic = /[*?[{]/

/** The folder above the first part with a wildcard; the source itself when it has none. */
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
