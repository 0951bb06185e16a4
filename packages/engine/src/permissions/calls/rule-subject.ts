// The argument of a call that a rule matches: a path, a search, the type of a subagent.
import { join, relative, resolve, sep } from 'node:path'
import type { JsonObject } from '@quarterdeck/protocol'
import { isWithin } from '../../system/path-inside.ts'
import { canonicalToolName } from '../tools/available-tools.ts'
import type { CheckedCall } from './checked-call.ts'
import { canonicalJson } from './normalise-input.ts'

export interface RuleContext {
  /** Absolute. */
  readonly cwd: string
  /** The call's path with links resolved; null if it has none. */
  readonly realPath?: string | null
  readonly realCwd?: string
  /** The other names of a tool of the agent file. */
  readonly spellings?: readonly string[]
}

/** The input field that names the file or folder. */
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

/** The spellings of a path that a pattern may use. Only paths inside the working directory have relative ones. */
export function pathSpellings(path: string, cwd: string): readonly string[] {
  if (!isWithin({ path, folder: cwd })) return [path]
  const short = relative(cwd, path).split(sep).join('/')
  return short === '' ? ['.', './', path] : [short, `./${short}`, path]
}

/**
 * The texts that a rule's pattern is matched against, in groups. To allow, every group must match: a link must be
 * allowed both by its name and by its target. To deny, any match is enough.
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

/** Further texts for deny rules: the search pattern and the file filter of a search. */
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
