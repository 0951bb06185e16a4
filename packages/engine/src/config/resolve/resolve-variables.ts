// What a tool or a hook is given: variables and headers. Names go into the definition, values into what is kept apart.
import { dirname } from 'node:path'
import { parseEnv } from 'node:util'
import { entryOf, formatPath, type Path, valueAt } from '../problems/value-path.ts'
import { namesSecret } from '../yaml/names-secret.ts'
import { readText } from '../yaml/read-text.ts'
import { isPlainValue } from './plain-value.ts'
import type { AgentContext } from './resolve-agent.ts'
import { resolveProjectPath } from './resolve-instructions.ts'

export type Values = Readonly<Record<string, string>>

type Written = Readonly<Record<string, string | number | boolean>> | readonly string[] | null | undefined

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/
const maxBytes = 256 * 1024

/** A map as it is written, or the environment's values for a list of names. */
export function resolveVariables(context: AgentContext, written: Written, path: Path): Values {
  if (written == null) return {}
  if (isNameList(written)) return fromEnvironment(context, written, path)
  for (const [name, value] of Object.entries(written)) checkVariable(context, name, { value, path: [...path, name] })
  return Object.fromEntries(Object.entries(written).map(([name, value]) => [name, String(value)]))
}

const isNameList = (written: NonNullable<Written>): written is readonly string[] => Array.isArray(written)

function fromEnvironment({ env, source, options }: AgentContext, names: readonly string[], path: Path): Values {
  const values: Record<string, string> = {}
  names.forEach((name, index) => {
    const value = entryOf(env, name)
    if (value !== undefined) values[name] = value
    else {
      const severity = options.credentials === 'note' ? 'warning' : 'error'
      const at = { path: [...path, index], part: 'value' } as const
      const message = `the environment has no ${name}: set it, or leave it out`
      source.report({ severity, code: 'config.missing-variable', ...at, message })
    }
  })
  return values
}

function checkVariable(
  { source }: AgentContext,
  name: string,
  { value, path }: { readonly value: unknown; readonly path: Path },
): void {
  if (!variableName.test(name)) {
    const message = `"${name}" is no name of a variable: letters, digits and _, not a digit first`
    source.report({ severity: 'error', code: 'config.invalid', path, message })
  } else if (namesSecret(name) && value !== '' && !source.substitutions.has(formatPath(path))) {
    const message = `"${formatPath(path)}" is written in the file: put it into the environment and name the variable`
    source.report({ severity: 'warning', code: 'config.exposed-secret', path, message })
  }
}

export async function readVariables(context: AgentContext, written: string, path: Path): Promise<Values> {
  const file = await resolveProjectPath(context, written, path)
  if (file === null) return {}
  context.dependsOn(file)
  const read = await readText(file, maxBytes)
  if (read.type === 'text')
    return Object.fromEntries(Object.entries(parseEnv(read.text)).map(([name, value]) => [name, value ?? '']))
  const reason = read.type === 'absent' ? 'there is no such file' : read.reason
  const message = `"${formatPath(path)}": cannot use it: ${reason}`
  context.source.report({ severity: 'error', code: 'config.unreadable', path, part: 'value', message })
  return {}
}

/**
 * Values that must never be written anywhere: by their own name, by the variable they came from, and whatever else does
 * not stand in the file itself, unless it is plain.
 */
export function secretValues({ source, env }: AgentContext, values: Values, path: Path): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const at = [...path, name]
    const substitution = source.substitutions.get(formatPath(at))
    const from = substitution?.variables ?? []
    // A scheme before the token is no secret, and what came into a longer text also appears without it.
    const spellings = [value, value.replace(/^\w+ /, ''), ...from.map((variable) => entryOf(env, variable) ?? '')]
    if (namesSecret(name) || from.some(namesSecret)) return spellings
    const isWritten = substitution === undefined && valueAt(source.value, at) !== undefined
    return isWritten ? [] : spellings.filter((spelling) => !isPlainValue(spelling))
  })
}

/** The folder of the file that names it. */
export const folderOf = ({ source }: AgentContext, path: Path): string => dirname(source.originFileOf(path).file)
