// Turns issues of the schema library into messages about the file. Values from the environment are never shown: a
// substituted value appears as written.
import { AgentName, ellipsize, isRecord } from '@quarterdeck/protocol'
import { z } from 'zod'
import { nearestName } from '../problems/nearest-name.ts'
import type { ProblemDraft } from '../problems/problem-list.ts'
import { entryOf, formatPath, type Path, patternOf, plainPath, valueAt } from '../problems/value-path.ts'
import type { ConfigSource } from '../yaml/config-source.ts'
import { optionsOf, schemaAt, unwrap } from './schema-at.ts'

export interface IssueContext {
  readonly schema: z.ZodType
  readonly value: unknown
  readonly source: ConfigSource
  readonly otherKeys: Readonly<Record<string, readonly string[]>>
}

export function describeIssue(issue: z.core.$ZodIssue, context: IssueContext): readonly ProblemDraft[] {
  const path = plainPath(issue.path)
  const inner = issue.code === 'invalid_union' ? innerIssues(issue, valueAt(context.value, path)) : []
  if (inner.length > 0) return inner.flatMap((one) => describeIssue(one, context))
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, path, context))
  const found = valueAt(context.value, path)
  if (found === undefined && path.length > 0) {
    return [{ severity: 'error', code: 'config.missing-key', path, message: `"${formatPath(path)}" is missing` }]
  }
  const subject = path.length === 0 ? 'the file' : `"${formatPath(path)}"`
  const written = shown(found, path, context)
  const suggestion = typeof found === 'string' ? suggested(found, issue, context) : undefined
  const seen = written === '' ? '' : `; found ${written}`
  const message = `${subject} ${expectation(issue, context)}${seen}${hintFor(issue, found, context)}`
  return [{ severity: 'error', code: 'config.invalid', path, part: 'value', message, suggestion }]
}

function hintFor(issue: z.core.$ZodIssue, found: unknown, context: IssueContext): string {
  const hint = issue.code === 'invalid_type' ? shapeHint(wantedAt(issue, context), found) : ''
  return hint === '' ? '' : `: ${hint}`
}

/** For the file as a whole there is nothing to add. */
const wantedAt = ({ path }: z.core.$ZodIssue, { schema, value }: IssueContext): unknown =>
  path.length === 0 ? undefined : schemaAt(schema, plainPath(path), value)

function suggested(found: string, issue: z.core.$ZodIssue, context: IssueContext): string | undefined {
  const at = formatPath(plainPath(issue.path))
  const isName = issue.code === 'invalid_format' && /^(?:(?:tools|mcp_servers)\[\d+\]\.)?name$/.test(at)
  if (!isName) return nearestName(found, valuesOf(issue, context).map(String))
  if (context.source.substitutions.has(at)) return undefined
  return at === 'name' ? agentNameLike(found) : toolNameLike(found)
}

function agentNameLike(found: string): string | undefined {
  const name = found
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replace(/-+$/, '')
  return AgentName.safeParse(name).success ? name : undefined
}

function toolNameLike(found: string): string | undefined {
  const name = found.trim().replaceAll(/[^0-9A-Za-z]+/g, '_')
  return /^[0-9A-Za-z]\w{0,63}$/.test(name) && !name.endsWith('_') ? name : undefined
}

function unknownKey(key: string, parent: Path, context: IssueContext): ProblemDraft {
  const others = entryOf(context.otherKeys, patternOf(parent)) ?? []
  const known = [...keysAt(context.schema, parent, context.value), ...others]
  const where = parent.length === 0 ? '' : ` in "${formatPath(parent)}"`
  const message = `unknown key "${printable(key)}"${where}`
  const path = [...parent, key]
  return { severity: 'error', code: 'config.unknown-key', path, message, suggestion: nearestName(key, known) }
}

/** The issues inside the only alternative that accepts this kind of value. */
function innerIssues(issue: z.core.$ZodIssueInvalidUnion, found: unknown): readonly z.core.$ZodIssue[] {
  const fitting = issue.errors.filter((errors) => errors.length > 0 && !errors.every(isOfOtherKind))
  const [only] = fitting
  if (only === undefined || fitting.length > 1 || typeof found !== 'object') return []
  return only.map((one) => ({ ...one, path: [...issue.path, ...one.path] }))
}

const isOfOtherKind = ({ code, path }: z.core.$ZodIssue): boolean => code === 'invalid_type' && path.length === 0

/** The allowed names at this path. */
function valuesOf(issue: z.core.$ZodIssue, { schema, value }: IssueContext): readonly unknown[] {
  if (issue.code === 'invalid_value') return issue.values
  if (issue.code !== 'invalid_union' || issue.discriminator === undefined) return []
  const union = schemaAt(schema, plainPath(issue.path).slice(0, -1), value)
  return union instanceof z.ZodDiscriminatedUnion ? Object.keys(optionsOf(union)) : []
}

function expectation(issue: z.core.$ZodIssue, context: IssueContext): string {
  switch (issue.code) {
    case 'invalid_union': {
      const names = valuesOf(issue, context)
      return names.length === 0 ? schemaMessage(issue) : `must be ${oneOf(names)}`
    }
    case 'invalid_type':
      return `must be ${nouns[issue.expected] ?? issue.expected}${expectedKeys(wantedAt(issue, context))}`
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`
    case 'too_small':
      return bound(issue, issue.minimum, ['at least', 'more than'])
    case 'too_big':
      return bound(issue, issue.maximum, ['at most', 'less than'])
    case 'invalid_format':
      return issue.format === 'regex' && issue.message.startsWith('Invalid')
        ? 'must start with a letter and contain only letters, digits, _ and - (up to 64)'
        : schemaMessage(issue)
    case 'invalid_key':
      return 'has a name that must start with a letter and contain only letters, digits, _ and - (up to 64)'
    default:
      return schemaMessage(issue)
  }
}

/** The reference documents the names that are left out. */
const longestList = 15
const enoughOfMany = 10

const oneOf = (names: readonly unknown[]): string => {
  if (names.length > longestList) {
    return `one of ${names.slice(0, enoughOfMany).join(', ')} or ${names.length - enoughOfMany} others`
  }
  return `${names.length === 1 ? '' : 'one of '}${names.join(', ')}`
}

const schemaMessage = (issue: z.core.$ZodIssue): string => issue.message.replace(/^expected/, 'must be')

function bound(
  { origin, inclusive }: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  limit: number | bigint,
  [words, strictWords]: readonly [string, string],
): string {
  if (origin === 'string')
    return words === 'at least' && limit === 1 ? 'must not be blank' : `must be ${words} ${limit} characters long`
  if (origin === 'array') return `must have ${words} ${limit} ${limit === 1 ? 'entry' : 'entries'}`
  return `must be ${inclusive === false ? strictWords : words} ${limit}`
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

const hidden = /(?:^|\.)(?:api_key|endpoint|url|connection_string)$|\.(?:env|headers)(?:\.|$)/

/** The value as written, shortened; empty if it may be a secret or is too long to help. */
function shown(found: unknown, path: Path, context: IssueContext): string {
  const at = formatPath(path)
  if (hidden.test(at)) return ''
  const substitution = context.source.substitutions.get(at)
  if (substitution !== undefined) return `the value of ${printable(substitution.written)}`
  if (Array.isArray(found)) return 'a list'
  if (typeof found === 'object' && found !== null) return 'a map'
  if (found === null || found === undefined) return 'nothing'
  const text = printable(String(found))
  return typeof found === 'string' ? `"${text}"` : text
}

/** A value for a message: shown as the reference it came from, if any. */
export function asWritten(source: ConfigSource, path: Path, value: string): string {
  return printable(source.substitutions.get(formatPath(path))?.written ?? value)
}

const longestShown = 60

/** Text from a file made safe for a terminal: one line, no control characters, shortened. */
export function printable(text: string): string {
  return ellipsize(text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '·'), longestShown)
}

/** The keys that a strict schema allows at a path. */
function keysAt(schema: z.ZodType, path: Path, value: unknown): readonly string[] {
  const found = schemaAt(schema, path, value)
  return found instanceof z.ZodObject ? Object.keys(found.shape) : []
}

const mostKeys = 8

/** ` with inline, file, preset, append` if a map with known keys is expected. */
function expectedKeys(wanted: unknown): string {
  if (!(wanted instanceof z.ZodObject)) return ''
  const keys = Object.keys(wanted.shape)
  return ` with ${keys.slice(0, mostKeys).join(', ')}${keys.length > mostKeys ? ', …' : ''}`
}

/**
 * Suggests the right form for a value of the wrong shape: users often know the fields of a block but not its form.
 * Empty if there is nothing to add.
 */
function shapeHint(wanted: unknown, found: unknown): string {
  if (wanted instanceof z.ZodObject) return hintForMap(wanted, found)
  if (wanted instanceof z.ZodArray) return hintForList(wanted, found)
  const isBare = typeof found === 'number' || typeof found === 'boolean'
  return wanted instanceof z.ZodString && isBare ? 'put it in quotes' : ''
}

function hintForMap({ shape }: z.ZodObject, found: unknown): string {
  if (typeof found === 'boolean' && 'enabled' in shape) return `write { enabled: ${found} }`
  if (typeof found === 'string' && 'inline' in shape) return 'write { inline: … }'
  const list = Object.keys(shape).find((key) => unwrap(shape[key]) instanceof z.ZodArray)
  return Array.isArray(found) && list !== undefined ? `put the list under "${list}:"` : ''
}

function hintForList({ element }: z.ZodArray, found: unknown): string {
  const item: unknown = unwrap(element)
  if (typeof found === 'string' && item instanceof z.ZodString) return 'write it in [ ]'
  if (isRecord(found) && Array.isArray(found.metrics)) {
    return 'list the metrics here directly, without "metrics"'
  }
  if (!isRecord(found) && typeof found !== 'string') return ''
  const first = item instanceof z.ZodDiscriminatedUnion ? 'type' : firstKeyOf(item)
  return first === undefined ? 'start each entry with "- "' : `start each entry with "- ${first}:"`
}

const firstKeyOf = (schema: unknown): string | undefined =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape)[0] : undefined
