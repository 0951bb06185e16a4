// Files an agent's tools may not touch: outside its working directory (links followed), `.env`, and what the server
// keeps for itself.
import { basename, dirname, relative, resolve } from 'node:path'
import type { JsonObject } from '@quarterdeck/protocol'
import type { Refusal } from '../calls/refusal.ts'
import { type CheckedCall, isInside, pathOfCall, pathSpellings, textField } from '../calls/rule-subject.ts'
import { canonicalToolName } from '../tools/available-tools.ts'
import { envFileGlobs, isEnvFile, namesEnvFile } from './env-file.ts'
import { realPathOf } from './real-path.ts'

export interface FileVerdict {
  readonly refusal: Refusal | null
  /** What may run: a search carries globs that keep it out of what it must not read. */
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
  /** The CLI takes settings from the working directory, and they may name programs: agents do not write them. */
  readonly guardsSettings?: boolean
}

export function createFilePolicy(options: FilePolicyOptions) {
  const cwd = resolve(options.cwd)
  const hidden = options.hiddenPaths.map((path) => resolve(path))

  /** `null` when it cannot be found out where the path leads. */
  async function locate(path: string): Promise<PathLocation | null> {
    const [real, realCwd, ...realHidden] = await Promise.all([path, cwd, ...hidden].map((one) => realPathOf(one)))
    if (real === null || real === undefined || realCwd === null || realCwd === undefined) return null
    const isBelow = isBelowSettings(path, cwd) || isBelowSettings(real, realCwd)
    const isSettings = options.guardsSettings === true && isBelow
    const places = [...hidden, ...realHidden.filter((place) => typeof place === 'string')]
    const isHidden = places.some((place) => isInside(real, place) || isInside(path, place))
    return { real, isOutside: !isInside(real, realCwd), isHidden, isSettings }
  }

  /** Whether a text names a hidden file in full, also inside a URI. */
  const mentionsHidden = (text: string): boolean =>
    hidden.some((place) => text.includes(place) || decoded(text).includes(place))

  /** Whether a path that starts somewhere unknown could lead to a hidden file. */
  const endsHidden = (tail: string): boolean =>
    hidden.some((place) => place.endsWith(`/${tail.replace(/^\.?\/+/, '')}`))

  async function check(call: CheckedCall): Promise<FileVerdict> {
    const realCwd = (await realPathOf(cwd)) ?? cwd
    const path = pathOfCall(call, cwd)
    const verdict: FileVerdict = { refusal: null, input: call.toolInput, realPath: null, realCwd }
    if (path === null) return isFileTool(call) ? { ...verdict, refusal: withoutPath(call) } : verdict
    const refusal = lexicalRefusal(call)
    if (refusal !== null) return { ...verdict, refusal }
    const place = await locate(searchRoot(call, path))
    const named = pathSpellings(path, cwd)[0] ?? path
    if (place === null) return { ...verdict, refusal: refuse(`${named} cannot be followed to a place on disk`) }
    const found = { ...verdict, realPath: searchRoot(call, path) === path ? place.real : null }
    if (place.isHidden) return { ...found, refusal: refuse(`${named} belongs to the server, not to the agent`) }
    if (place.isOutside) {
      const sentence = `${named} is outside the working directory; use a path inside it`
      return { ...found, refusal: refuse(sentence) }
    }
    if (place.isSettings && (call.toolName === 'Write' || call.toolName === 'Edit')) {
      return { ...found, refusal: refuse(settingsSentence(named)) }
    }
    if (readsContent(call) && [path, place.real].some(namesEnvFile)) {
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
  `${name} may hold secrets and is not for agents; ask the person for what you need from it`

export const settingsSentence = (name: string): string =>
  `${name} tells the CLI what to load and to run (claude.setting_sources of the agent file): a person writes it`

/** The folder itself too: it could be made, or moved into place. */
const isBelowSettings = (path: string, cwd: string): boolean =>
  isInside(path, cwd) && relative(cwd, path).toLowerCase().split('/').includes('.claude')

const fileTools = new Set(['Read', 'Write', 'Edit', 'Glob', 'Grep'])
const isFileTool = (call: CheckedCall): boolean => fileTools.has(canonicalToolName(call.toolName))

const withoutPath = (call: CheckedCall): Refusal => refuse(`${call.toolName} needs a file_path`)

/** Writing a `.env` anew shows nothing of it; the others print what is inside. */
const readsContent = (call: CheckedCall): boolean => ['Read', 'Edit', 'Grep'].includes(call.toolName)

/** What can be said without looking at the disk: a pattern that climbs, a glob that names a secret file. */
function lexicalRefusal(call: CheckedCall): Refusal | null {
  if (call.toolName === 'Glob') {
    const pattern = textField(call.toolInput, 'pattern') ?? ''
    if (pattern.includes('..')) return refuse('a Glob pattern may not climb with ".."')
    if (/^~/.test(pattern)) return refuse('a Glob pattern starts inside the working directory')
  }
  const glob = call.toolName === 'Grep' ? textField(call.toolInput, 'glob') : null
  if (glob === null) return null
  const named = withoutOwnGlobs(glob).split(/[\s,{}/]+/)
  return named.some((part) => isEnvFile(part)) ? refuse(envSentence('.env')) : null
}

/** The folder a Glob really starts from: the part of its pattern before the first wildcard. */
function searchRoot(call: CheckedCall, path: string): string {
  if (call.toolName !== 'Glob') return path
  const wildcard = path.search(/[*?[{(!]/)
  return wildcard === -1 ? path : path.slice(0, path.lastIndexOf('/', wildcard)) || '/'
}

/** ripgrep takes the last glob that matches: ours come last. */
function searchInput(call: CheckedCall, hidden: readonly string[], path: string): JsonObject {
  if (call.toolName !== 'Grep') return call.toolInput
  const own = hidden.filter((place) => isInside(place, path)).map((place) => hidingGlob(place, path))
  const given = textField(call.toolInput, 'glob')
  const globs = [...envFileGlobs, ...own]
  return {
    ...call.toolInput,
    glob: [...(given === null ? [] : [withoutGlobs(given, globs)]), ...globs].join(' ').trim(),
  }
}

/** With its folder, so that other files of the same name stay visible; without where the search starts in that folder. */
function hidingGlob(place: string, path: string): string {
  const folder = dirname(place)
  const name = isInside(path, folder) ? basename(place) : `${basename(folder)}/${basename(place)}`
  return `!**/${name.replace(/[\\*?[\]{}!,\s]/g, '?')}`
}

const withoutOwnGlobs = (glob: string): string => withoutGlobs(glob, envFileGlobs)

const withoutGlobs = (glob: string, globs: readonly string[]): string =>
  glob
    .split(/\s+/)
    .filter((part) => !globs.includes(part))
    .join(' ')
