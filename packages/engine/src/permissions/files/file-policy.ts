// Files that an agent's tools may not touch: outside its working directory (links resolved), `.env`, and the server's
// own.
import { lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { hasErrorCode, type JsonObject } from '@quarterdeck/protocol'
import { isWithin } from '../../system/path-inside.ts'
import type { CheckedCall } from '../calls/checked-call.ts'
import type { Refusal } from '../calls/refusal.ts'
import { pathOfCall, pathSpellings, textField } from '../calls/rule-subject.ts'
import { canonicalToolName } from '../tools/available-tools.ts'
import { envFileGlobs, isEnvFile, namesEnvFile } from './env-file.ts'

export interface FileVerdict {
  readonly refusal: Refusal | null
  /** The input to run: a search gets globs that exclude forbidden files. */
  readonly input: JsonObject
  readonly realPath: string | null
  readonly realCwd: string
}

interface PathLocation {
  readonly real: string
  readonly isOutside: boolean
  readonly isHidden: boolean
  readonly isSettings: boolean
}

export type FilePolicy = ReturnType<typeof createFilePolicy>

export interface FilePolicyOptions {
  readonly cwd: string
  readonly hiddenPaths: readonly string[]
  /** The CLI reads settings from the working directory, and they may name programs: agents may not write them. */
  readonly guardsSettings?: boolean
}

export function createFilePolicy(options: FilePolicyOptions) {
  const cwd = resolve(options.cwd)
  const hidden = options.hiddenPaths.map((path) => resolve(path))

  /** `null` if the target of the path cannot be determined. */
  async function locate(path: string): Promise<PathLocation | null> {
    const [real, realCwd, ...realHidden] = await Promise.all([path, cwd, ...hidden].map((one) => realPathOf(one)))
    if (real === null || real === undefined || realCwd === null || realCwd === undefined) return null
    const isBelow = isBelowSettings(path, cwd) || isBelowSettings(real, realCwd)
    const isSettings = options.guardsSettings === true && isBelow
    const hiddenFiles = [...hidden, ...realHidden.filter((file) => typeof file === 'string')]
    const isHidden = hiddenFiles.some(
      (file) => isWithin({ path: real, folder: file }) || isWithin({ path, folder: file }),
    )
    return { real, isOutside: !isWithin({ path: real, folder: realCwd }), isHidden, isSettings }
  }

  /** Whether a text contains the full path of a hidden file, even inside a URI. */
  const mentionsHidden = (text: string): boolean =>
    hidden.some((file) => text.includes(file) || decoded(text).includes(file))

  /** Whether a path with an unknown start could lead to a hidden file. */
  const endsHidden = (tail: string): boolean => hidden.some((file) => file.endsWith(`/${tail.replace(/^\.?\/+/, '')}`))

  async function check(call: CheckedCall): Promise<FileVerdict> {
    const realCwd = (await realPathOf(cwd)) ?? cwd
    const path = pathOfCall(call, cwd)
    const verdict: FileVerdict = { refusal: null, input: call.toolInput, realPath: null, realCwd }
    if (path === null) return isFileTool(call) ? { ...verdict, refusal: withoutPath(call) } : verdict
    const refusal = lexicalRefusal(call)
    if (refusal !== null) return { ...verdict, refusal }
    const location = await locate(searchRoot(call, path))
    const named = pathSpellings(path, cwd)[0] ?? path
    if (location === null) return { ...verdict, refusal: refuse(`${named} cannot be resolved to a path on disk`) }
    const found = { ...verdict, realPath: searchRoot(call, path) === path ? location.real : null }
    if (location.isHidden) return { ...found, refusal: refuse(`${named} belongs to the server, not to the agent`) }
    if (location.isOutside) {
      const sentence = `${named} is outside the working directory; use a path inside it`
      return { ...found, refusal: refuse(sentence) }
    }
    if (location.isSettings && (call.toolName === 'Write' || call.toolName === 'Edit')) {
      return { ...found, refusal: refuse(settingsSentence(named)) }
    }
    if (readsContent(call) && [path, location.real].some(namesEnvFile)) {
      return { ...found, refusal: refuse(envSentence(basename(path))) }
    }
    return { ...found, input: searchInput(call, hidden, resolve(path)) }
  }

  return { check, locate, mentionsHidden, endsHidden }
}

function decoded(text: string): string {
  return text.replace(/%[0-9a-fA-F]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
}

const refuse = (sentence: string): Refusal => ({ message: `Refused: ${sentence}.`, rule: 'file access' })

export const envSentence = (name: string): string =>
  `${name} may contain secrets and is not available to agents; ask the person for what you need from it`

export const settingsSentence = (name: string): string =>
  `${name} controls what the CLI loads and runs (claude.setting_sources of the agent file): only a person may write it`

/** Includes the folder itself: it could be created, or moved into place. */
const isBelowSettings = (path: string, cwd: string): boolean =>
  isWithin({ path, folder: cwd }) && relative(cwd, path).toLowerCase().split('/').includes('.claude')

const fileTools = new Set(['Read', 'Write', 'Edit', 'Glob', 'Grep'])
const isFileTool = (call: CheckedCall): boolean => fileTools.has(canonicalToolName(call.toolName))

const withoutPath = (call: CheckedCall): Refusal => refuse(`${call.toolName} needs a file_path`)

/** Overwriting a `.env` reveals nothing. The other tools print its content. */
const readsContent = (call: CheckedCall): boolean => ['Read', 'Edit', 'Grep'].includes(call.toolName)

/** Checks that need no disk access: a pattern with `..`, a glob that names a secret file. */
function lexicalRefusal(call: CheckedCall): Refusal | null {
  if (call.toolName === 'Glob') {
    const pattern = textField(call.toolInput, 'pattern') ?? ''
    if (pattern.includes('..')) return refuse('a Glob pattern may not contain ".."')
    if (/^~/.test(pattern)) return refuse('a Glob pattern has to start inside the working directory')
  }
  const glob = call.toolName === 'Grep' ? textField(call.toolInput, 'glob') : null
  if (glob === null) return null
  const named = withoutOwnGlobs(glob).split(/[\s,{}/]+/)
  return named.some((part) => isEnvFile(part)) ? refuse(envSentence('.env')) : null
}

/** The folder where a Glob really starts: its pattern up to the first wildcard. */
function searchRoot(call: CheckedCall, path: string): string {
  if (call.toolName !== 'Glob') return path
  const wildcard = path.search(/[*?[{(!]/)
  return wildcard === -1 ? path : path.slice(0, path.lastIndexOf('/', wildcard)) || '/'
}

/** ripgrep uses the last glob that matches, so these come last. */
function searchInput(call: CheckedCall, hidden: readonly string[], path: string): JsonObject {
  if (call.toolName !== 'Grep') return call.toolInput
  const own = hidden.filter((file) => isWithin({ path: file, folder: path })).map((file) => hidingGlob(file, path))
  const given = textField(call.toolInput, 'glob')
  const globs = [...envFileGlobs, ...own]
  return {
    ...call.toolInput,
    glob: [...(given === null ? [] : [withoutGlobs(given, globs)]), ...globs].join(' ').trim(),
  }
}

/**
 * With its folder, so that other files of the same name stay visible; without it if the search starts in that folder.
 */
function hidingGlob(file: string, path: string): string {
  const folder = dirname(file)
  const name = isWithin({ path, folder }) ? basename(file) : `${basename(folder)}/${basename(file)}`
  return `!**/${name.replace(/[\\*?[\]{}!,\s]/g, '?')}`
}

const withoutOwnGlobs = (glob: string): string => withoutGlobs(glob, envFileGlobs)

const withoutGlobs = (glob: string, globs: readonly string[]): string =>
  glob
    .split(/\s+/)
    .filter((part) => !globs.includes(part))
    .join(' ')

const maxLinks = 40

/**
 * Resolves every link of a path, even if its last parts do not exist yet (a dangling link leads to where it would be
 * created). `null` if that is impossible: a loop, or a folder that cannot be read.
 */
async function realPathOf(path: string, links = 0): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT', 'ENOTDIR') || links >= maxLinks) return null
  }
  const target = await linkTarget(path)
  if (target !== null) return realPathOf(resolve(dirname(path), target), links + 1)
  const parent = dirname(path)
  if (parent === path) return path
  const realParent = await realPathOf(parent, links)
  return realParent === null ? null : join(realParent, basename(path))
}

async function linkTarget(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null
  } catch {
    return null // does not exist: try the parent
  }
}
