// Substitutes `${NAME}`, `${NAME:-default}`, `${file:/path}` and `$${literal}` after parsing: values never become YAML.
import { formatPath, type Path } from '../problems/value-path.ts'

export interface Lookup {
  /** Undefined if the variable is not set. An empty one counts as set, as in a shell without the colon. */
  variable(name: string): string | undefined
  /** Undefined if the file cannot be used; the caller has reported why. */
  file(path: string): string | undefined
}

/** A value that differs from what is written. */
export interface Substitution {
  readonly path: Path
  readonly written: string
  /** Variables that the text names, set or not. */
  readonly variables: readonly string[]
  readonly missing: readonly string[]
  /** False if a file could not be used or a `${` does not start a valid reference. */
  readonly complete: boolean
  readonly malformed: readonly string[]
}

export interface Substituted {
  readonly value: unknown
  /** By formatted path. */
  readonly substitutions: ReadonlyMap<string, Substitution>
}

export function substitute(value: unknown, lookup: Lookup): Substituted {
  const substitutions = new Map<string, Substitution>()
  return { value: walk(value, []), substitutions }

  function walk(part: unknown, path: Path): unknown {
    if (typeof part === 'string') return replaced(part, path)
    if (Array.isArray(part)) return part.map((item, index) => walk(item, [...path, index]))
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, walk(item, [...path, key])]))
  }

  function replaced(written: string, path: Path): string {
    if (!written.includes('${')) return written
    const { text, ...rest } = substituteText(written, lookup)
    if (text !== written || !rest.complete) substitutions.set(formatPath(path), { path, written, ...rest })
    return text
  }
}

const reference =
  /\$\$\{|\$\{(?:file:(?<file>[^}]*)|(?<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?<fallback>[^}]*))?)\}|\$\{[^}]*\}?/g

type SubstitutedText = Omit<Substitution, 'path' | 'written'> & { readonly text: string }

function substituteText(written: string, lookup: Lookup): SubstitutedText {
  const variables: string[] = []
  const missing: string[] = []
  const malformed: string[] = []
  let complete = true
  const text = written.replaceAll(reference, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Record<'file' | 'name' | 'fallback', string | undefined> // replaceAll passes groups last
    // `$${` is a literal `${`; the text after it is not a reference.
    if (match === '$${') return '${'
    if (isNested(match)) {
      complete = false
      malformed.push(match)
      return match
    }
    if (groups.name !== undefined) variables.push(groups.name)
    const found = lookUp(groups, lookup)
    if (found !== undefined) return found
    complete = false
    if (groups.name !== undefined) missing.push(groups.name)
    else if (groups.file === undefined) malformed.push(match)
    return match
  })
  return { text, variables, missing, malformed, complete }
}

/** `${A:-${B}}`: it would end at the first brace. */
export const isNested = (reference: string): boolean => reference.includes('${', 2)

function lookUp(groups: Record<'file' | 'name' | 'fallback', string | undefined>, lookup: Lookup): string | undefined {
  if (groups.file !== undefined) return lookup.file(groups.file)
  if (groups.name === undefined) return undefined
  const value = lookup.variable(groups.name)
  // `:-` as in a shell: also applies when the variable is empty.
  return groups.fallback !== undefined && (value ?? '') === '' ? groups.fallback : value
}

/** The paths of every `${file:…}` in a value, so that they can be read before substitution. */
export function referencedFiles(value: unknown): readonly string[] {
  const paths = new Set<string>()
  substitute(value, { variable: () => '', file: (path) => void paths.add(path) })
  return [...paths]
}
