// Variables and headers of tools and hooks. Names go into the definition, values are stored separately.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseEnv } from 'node:util'
import type { AgentContext } from '../agent-context.ts'
import { entryOf, formatPath, type Path, valueAt } from '../problems/value-path.ts'
import { namesSecret } from '../yaml/names-secret.ts'
import { readText } from '../yaml/read-text.ts'
import { resolveProjectPath } from './resolve-instructions.ts'

export type Values = Readonly<Record<string, string>>

type Written = Readonly<Record<string, string | number | boolean>> | readonly string[] | null | undefined

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/
const maxBytes = 256 * 1024

/** Values of a map as written, or values of the environment for a list of names. */
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
      const message = `the environment has no ${name}: set it, or remove it from the list`
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
    source.refuse(path, `"${name}" is not a variable name: use letters, digits and _, and do not start with a digit`)
  } else if (namesSecret(name) && value !== '' && !source.substitutions.has(formatPath(path))) {
    source.warnWrittenSecret(path)
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
 * Values that must never be stored or printed: secret by their own name, by the name of their variable, or because they
 * come from outside of the file and are not plain.
 */
export function secretValues({ source, env }: AgentContext, values: Values, path: Path): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const at = [...path, name]
    const substitution = source.substitutions.get(formatPath(at))
    const from = substitution?.variables ?? []
    // The scheme before a token is not secret, and a value inserted into a longer text also appears without it.
    const spellings = [value, value.replace(/^\w+ /, ''), ...from.map((variable) => entryOf(env, variable) ?? '')]
    if (namesSecret(name) || from.some(namesSecret)) return spellings
    const isWritten = substitution === undefined && valueAt(source.value, at) !== undefined
    return isWritten ? [] : spellings.filter((spelling) => !isPlainValue(spelling))
  })
}

const plainWords = /^[a-z]+(?:[ ,._-]{1,2}(?:[a-z]+|\d{1,2}))*$/i
const segment = /^(?:[a-z]+(?:[_-][a-z]+)*|v\d{1,2})?$/i

/**
 * Whether a value of the environment is not secret and useful in logs: words (`production`, `eu-west-1`), numbers,
 * existing paths, addresses without credentials.
 */
export const isPlainValue = (value: string): boolean =>
  plainWords.test(value) || /^-?\d{1,12}(?:\.\d+)?$/.test(value) || isExistingPath(value) || isPlainUrl(value)

const isExistingPath = (value: string): boolean => /^[/~.]/.test(value) && existsSync(value)

function isPlainUrl(value: string): boolean {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return false
  const { username, password, pathname, search, hash } = new URL(value)
  return username + password + search + hash === '' && pathname.split('/').every((part) => segment.test(part))
}

/** The folder of the file that contains this path. */
export const folderOf = ({ source }: AgentContext, path: Path): string => dirname(source.originFileOf(path).file)
