// The argument of a call that a rule looks at: a path, a search, the kind of a subagent.
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { JsonObject } from '@quarterdeck/protocol'
import { canonicalToolName } from '../tools/available-tools.ts'
import { canonicalJson } from './normalise-input.ts'

export interface CheckedCall {
  readonly toolName: string
  readonly toolInput: JsonObject
}

export interface RuleContext {
  /** Absolute. */
  readonly cwd: string
  /** Where the call's path leads once links are followed; null when it has none. */
  readonly realPath?: string | null
  readonly realCwd?: string
  /** The other names of the tool, for one that the agent file names. */
  readonly spellings?: readonly string[]
}

/** The field of the input that names the file or folder. */
export function pathOfCall(call: CheckedCall, cwd: string): string | null {
  const text = (field: string) => textField(call.toolInput, field)
  switch (canonicalToolName(call.toolName)) {
    case 'Read':
    case 'Write':
    case 'Edit': {
      const path = text('file_path')
      return path === null ? null : resolve(cwd, path)
    }
    case 'Glob':
      return resolve(cwd, text('path') ?? '.', text('pattern') ?? '.')
    case 'Grep':
      return resolve(cwd, text('path') ?? '.')
    default:
      return null
  }
}

export function textField(input: JsonObject, field: string): string | null {
  const value = input[field]
  return typeof value === 'string' && value !== '' ? value : null
}

/** The spellings of a path a pattern may use. Only what is inside the working directory has relative ones. */
export function pathSpellings(path: string, cwd: string): readonly string[] {
  if (!isInside(path, cwd)) return [path]
  const short = relative(cwd, path).split(sep).join('/')
  return short === '' ? ['.', './', path] : [short, `./${short}`, path]
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`))
}

/**
 * What a rule's pattern is compared with, in groups. To allow, every group must have a match: a link must be allowed
 * both as it is named and as it leads. To deny, any match will do.
 */
export function ruleSubjects(call: CheckedCall, context: RuleContext): readonly (readonly string[])[] {
  const path = pathOfCall(call, context.cwd)
  if (path !== null) {
    const named = pathSpellings(path, context.cwd)
    const real = context.realPath ?? null
    return real === null ? [named] : [named, pathSpellings(real, context.realCwd ?? context.cwd)]
  }
  switch (canonicalToolName(call.toolName)) {
    case 'Agent':
      return [[textField(call.toolInput, 'subagent_type') ?? 'general-purpose']]
    case 'SendMessage':
      return [[textField(call.toolInput, 'to') ?? '']]
    case 'WebSearch':
      return [[textField(call.toolInput, 'query') ?? '']]
    default:
      return [[canonicalJson(call.toolInput)]]
  }
}

/** More that a deny rule may be about: what a search looks for and which files it takes. */
export function deniableSubjects(call: CheckedCall, context: RuleContext): readonly string[] {
  const { toolInput } = call
  const name = canonicalToolName(call.toolName)
  if (name !== 'Grep' && name !== 'Glob') return []
  const pattern = textField(toolInput, 'pattern')
  const glob = textField(toolInput, 'glob')
  const folder = resolve(context.cwd, textField(toolInput, 'path') ?? '.')
  return [
    ...(pattern === null ? [] : [pattern]),
    ...(glob === null ? [] : [glob, ...pathSpellings(join(folder, glob), context.cwd)]),
  ]
}
