// What the schema library found, in the words of the person who wrote the file. Values from the environment are never
// repeated: a substituted value is shown as it was written.
import { z } from 'zod'
import type { ConfigSource, ProblemDraft } from './config-source.ts'
import { nearestName } from './nearest-name.ts'
import { entryOf, formatPath, type Path, plainPath, valueAt } from './value-path.ts'

export interface IssueContext {
  readonly schema: z.ZodType
  readonly value: unknown
  readonly source: ConfigSource
  readonly otherKeys: Readonly<Record<string, readonly string[]>>
}

export function describeIssue(issue: z.core.$ZodIssue, context: IssueContext): readonly ProblemDraft[] {
  const path = plainPath(issue.path)
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, path, context))
  const found = valueAt(context.value, path)
  if (found === undefined && path.length > 0) {
    return [{ severity: 'error', code: 'config.missing-key', path, message: `"${formatPath(path)}" is missing` }]
  }
  const subject = path.length === 0 ? 'the file' : `"${formatPath(path)}"`
  const written = shown(found, path, context)
  const suggestion =
    issue.code === 'invalid_value' && typeof found === 'string' ? nearest(found, issue.values) : undefined
  const message = `${subject} ${expectation(issue)}${written === '' ? '' : `; found ${written}`}`
  return [{ severity: 'error', code: 'config.invalid', path, part: 'value', message, suggestion }]
}

function unknownKey(key: string, parent: Path, context: IssueContext): ProblemDraft {
  const known = [...keysAt(context.schema, parent), ...(entryOf(context.otherKeys, formatPath(parent)) ?? [])]
  const place = parent.length === 0 ? '' : ` in "${formatPath(parent)}"`
  const message = `unknown key "${printable(key)}"${place}`
  const path = [...parent, key]
  return { severity: 'error', code: 'config.unknown-key', path, message, suggestion: nearestName(key, known) }
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${nouns[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`
    case 'too_small':
      return bound(
        issue.origin,
        `at least ${issue.minimum}`,
        issue.inclusive === false ? `more than ${issue.minimum}` : '',
      )
    case 'too_big':
      return bound(
        issue.origin,
        `at most ${issue.maximum}`,
        issue.inclusive === false ? `less than ${issue.maximum}` : '',
      )
    case 'invalid_format':
      return issue.format === 'regex'
        ? 'must start with a letter and hold letters, digits, _ and - (up to 64)'
        : says(issue)
    case 'invalid_key':
      return 'has a name that must start with a letter and hold letters, digits, _ and - (up to 64)'
    default:
      return says(issue)
  }
}

const says = (issue: z.core.$ZodIssue): string => issue.message.replace(/^expected/, 'must be')

function bound(origin: string, atLeast: string, strict: string): string {
  if (origin === 'string') return atLeast === 'at least 1' ? 'must not be blank' : `must be ${atLeast} characters long`
  if (origin === 'array') return `must hold ${atLeast} entries`
  return `must be ${strict === '' ? atLeast : strict}`
}

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
}

/** The value as written, short; nothing where it might be a secret or is too long to help. */
function shown(found: unknown, path: Path, context: IssueContext): string {
  const at = formatPath(path)
  if (at === 'model.api_key' || at === 'model.endpoint') return ''
  const substitution = context.source.substitutions.get(at)
  if (substitution !== undefined) return `the value of ${printable(substitution.written)}`
  if (Array.isArray(found)) return 'a list'
  if (typeof found === 'object' && found !== null) return 'a map'
  if (found === null || found === undefined) return 'nothing'
  const text = printable(String(found))
  return typeof found === 'string' ? `"${text}"` : text
}

/** A value as it may stand in a message: by the reference it came from, where it came from one. */
export function asWritten(source: ConfigSource, path: Path, value: string): string {
  return printable(source.substitutions.get(formatPath(path))?.written ?? value)
}

/** Text from a file as it may stand in a terminal: one line, no control characters, not endless. */
export function printable(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '·')
  return line.length > 60 ? `${line.slice(0, 57)}…` : line
}

const nearest = (found: string, values: readonly unknown[]): string | undefined =>
  nearestName(found, values.map(String))

/** The keys a strict schema knows at a path. */
function keysAt(schema: z.ZodType, path: Path): readonly string[] {
  const found = path.reduce<unknown>((at, segment) => {
    const inner = unwrap(at)
    if (inner instanceof z.ZodObject) return entryOf<unknown>(inner.shape, String(segment))
    if (inner instanceof z.ZodRecord) return inner.valueType
    return inner instanceof z.ZodArray ? inner.element : undefined
  }, schema)
  const inner = unwrap(found)
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
}

function unwrap(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? unwrap(schema.unwrap()) : schema
}
