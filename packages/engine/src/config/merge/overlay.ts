// A source with parts of others laid into it, each part still at home where it was written: its problems point there, and
// its paths are relative to there.

import { isError } from '../problems/problem.ts'
import { formatPath, isMap, isWithin, type Path, valueAt } from '../problems/value-path.ts'
import { type ConfigSource, createProblemList } from '../yaml/config-source.ts'
import type { Substitution } from '../yaml/substitute.ts'

export interface Insertion {
  /** Where it goes. */
  readonly path: Path
  readonly source: ConfigSource
  /** Where it comes from. */
  readonly at: Path
  /** What is laid in, where it is not just what is there. */
  readonly value?: unknown
}

export function overlay(base: ConfigSource, insertions: readonly Insertion[]): ConfigSource {
  if (insertions.length === 0) return base
  const value = structuredClone(base.value)
  for (const insertion of insertions) {
    const parent = valueAt(value, insertion.path.slice(0, -1))
    if (typeof parent !== 'object' || parent === null) continue
    Reflect.set(
      parent,
      insertion.path.at(-1) ?? '',
      insertion.value ?? structuredClone(valueAt(insertion.source.value, insertion.at)),
    )
  }
  const insertionsByPath = new Map(insertions.map((insertion) => [formatPath(insertion.path), insertion]))
  const originOf = (path: Path): { readonly source: ConfigSource; readonly at: Path } => {
    for (let length = path.length; length > 0; length -= 1) {
      const insertion = insertionsByPath.get(formatPath(path.slice(0, length)))
      if (insertion !== undefined) return { source: insertion.source, at: [...insertion.at, ...path.slice(length)] }
    }
    return { source: base, at: path }
  }
  const locationOf: ConfigSource['locationOf'] = (path, how) => {
    const { source, at } = originOf(path)
    return source.locationOf(at, how)
  }
  const originFileOf: ConfigSource['originFileOf'] = (path) => {
    const { source, at } = originOf(path)
    return source.originFileOf(at)
  }
  const problemList = createProblemList(base.problems, locationOf, wrongPaths(base, insertions))
  const others = [...new Set(insertions.map(({ source }) => source))]
  return {
    file: base.file,
    projectFolder: base.projectFolder,
    value,
    locationOf,
    originFileOf,
    problems: problemList.problems,
    // In the words of the file it is about: what is `tools[3]` here may be `mcp_servers[0]` there.
    report: (draft) => {
      const there = formatPath(originOf(draft.path).at)
      problemList.report({ ...draft, message: draft.message.replaceAll(`"${formatPath(draft.path)}"`, `"${there}"`) })
    },
    substitutions: substitutionsOf(base, insertions, originOf),
    reads: [...new Set([...base.reads, ...others.flatMap(({ reads }) => reads)])],
  }
}

/** What is already known to be wrong, by where it is now: it is not said twice. */
function wrongPaths(base: ConfigSource, insertions: readonly Insertion[]): readonly string[] {
  const moved = insertions.flatMap(({ path, source, at }) => {
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
  insertions: readonly Insertion[],
  originOf: (path: Path) => { readonly source: ConfigSource },
): ReadonlyMap<string, Substitution> {
  const moved = insertions.flatMap(({ path, source, at }) =>
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
export function missingInsertions(
  near: unknown,
  far: ConfigSource,
  target: Pick<Insertion, 'path' | 'at'>,
): readonly Insertion[] {
  const there = valueAt(far.value, target.at)
  if (!isMap(near) || !isMap(there)) return []
  return Object.keys(there).flatMap((key) => {
    const inner = { path: [...target.path, key], at: [...target.at, key] }
    return Object.hasOwn(near, key) ? missingInsertions(near[key], far, inner) : [{ ...inner, source: far }]
  })
}
