// A source with parts of others laid into it, each part still at home where it was written: its problems point there, and
// its paths are relative to there.
import { type ConfigSource, createProblemBook } from './config-source.ts'
import { isError } from './problem.ts'
import type { Substitution } from './substitute.ts'
import { formatPath, isMap, isWithin, type Path, valueAt } from './value-path.ts'

export interface Part {
  /** Where it goes. */
  readonly path: Path
  readonly source: ConfigSource
  /** Where it comes from. */
  readonly at: Path
  /** What is laid in, where it is not just what is there. */
  readonly value?: unknown
}

export function overlay(base: ConfigSource, parts: readonly Part[]): ConfigSource {
  if (parts.length === 0) return base
  const value = structuredClone(base.value)
  for (const part of parts) {
    const parent = valueAt(value, part.path.slice(0, -1))
    if (typeof parent !== 'object' || parent === null) continue
    Reflect.set(parent, part.path.at(-1) ?? '', part.value ?? structuredClone(valueAt(part.source.value, part.at)))
  }
  const placed = new Map(parts.map((part) => [formatPath(part.path), part]))
  const originOf = (path: Path): { readonly source: ConfigSource; readonly at: Path } => {
    for (let length = path.length; length > 0; length -= 1) {
      const part = placed.get(formatPath(path.slice(0, length)))
      if (part !== undefined) return { source: part.source, at: [...part.at, ...path.slice(length)] }
    }
    return { source: base, at: path }
  }
  const placeOf: ConfigSource['placeOf'] = (path, how) => {
    const { source, at } = originOf(path)
    return source.placeOf(at, how)
  }
  const homeOf: ConfigSource['homeOf'] = (path) => {
    const { source, at } = originOf(path)
    return source.homeOf(at)
  }
  const book = createProblemBook(base.problems, placeOf, wrongPaths(base, parts))
  const others = [...new Set(parts.map(({ source }) => source))]
  return {
    ...{ file: base.file, projectFolder: base.projectFolder, value, placeOf, homeOf },
    problems: book.problems,
    // In the words of the file it is about: what is `tools[3]` here may be `mcp_servers[0]` there.
    report: (draft) => {
      const there = formatPath(originOf(draft.path).at)
      book.report({ ...draft, message: draft.message.replaceAll(`"${formatPath(draft.path)}"`, `"${there}"`) })
    },
    substitutions: substitutionsOf(base, parts, originOf),
    reads: [...new Set([...base.reads, ...others.flatMap(({ reads }) => reads)])],
  }
}

/** What is already known to be wrong, by where it is now: it is not said twice. */
function wrongPaths(base: ConfigSource, parts: readonly Part[]): readonly string[] {
  const moved = parts.flatMap(({ path, source, at }) => {
    const start = formatPath(at)
    const below = errorPaths(source).filter((wrong) => isWithin(wrong, start))
    return below.map((wrong) => (start === '' ? wrong : formatPath(path) + wrong.slice(start.length)))
  })
  return [...errorPaths(base), ...moved]
}

const errorPaths = ({ problems }: ConfigSource): readonly string[] =>
  problems.filter(isError).flatMap(({ path }) => (path === '' ? [] : [path]))

function substitutionsOf(
  base: ConfigSource,
  parts: readonly Part[],
  originOf: (path: Path) => { readonly source: ConfigSource },
): ReadonlyMap<string, Substitution> {
  const moved = parts.flatMap(({ path, source, at }) =>
    [...source.substitutions.values()]
      .filter((substitution) => startsWith(substitution.path, at))
      .map((substitution) => ({ source, ...substitution, path: [...path, ...substitution.path.slice(at.length)] })),
  )
  const own = [...base.substitutions.values()].map((substitution) => ({ source: base, ...substitution }))
  const valid = [...own, ...moved].filter(({ path, source }) => originOf(path).source === source)
  return new Map(valid.map(({ source: _, ...substitution }) => [formatPath(substitution.path), substitution]))
}

const startsWith = (path: Path, start: Path): boolean => start.every((segment, index) => path[index] === segment)

/** What `far` says below a path and `near` does not: maps merge, everything else of `near` stays. */
export function missingParts(near: unknown, far: ConfigSource, place: Pick<Part, 'path' | 'at'>): readonly Part[] {
  const there = valueAt(far.value, place.at)
  if (!isMap(near) || !isMap(there)) return []
  return Object.keys(there).flatMap((key) => {
    const inner = { path: [...place.path, key], at: [...place.at, key] }
    return Object.hasOwn(near, key) ? missingParts(near[key], far, inner) : [{ ...inner, source: far }]
  })
}
