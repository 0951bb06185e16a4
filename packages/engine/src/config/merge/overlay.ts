// Inserts parts of other sources into one source. Each part keeps its origin: problems point to its own file, and its
// paths are relative to that file.
import { isRecord } from '@quarterdeck/protocol'
import { isError } from '../problems/problem.ts'
import { createProblemList, reporting } from '../problems/problem-list.ts'
import { formatPath, isWithin, type Path, valueAt } from '../problems/value-path.ts'
import type { ConfigSource } from '../yaml/config-source.ts'
import type { Substitution } from '../yaml/substitute.ts'

export interface Insertion {
  /** The target path. */
  readonly path: Path
  readonly source: ConfigSource
  /** The path in `source`. */
  readonly at: Path
  /** Overrides the value found at `at`. */
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
  const problemList = createProblemList(base.problems, locationOf, knownErrorPaths(base, insertions))
  const others = [...new Set(insertions.map(({ source }) => source))]
  return {
    file: base.file,
    projectFolder: base.projectFolder,
    value,
    locationOf,
    originFileOf,
    problems: problemList.problems,
    // Uses the paths of the file the part came from: `tools[3]` here may be `mcp_servers[0]` there.
    ...reporting((draft) => {
      const there = formatPath(originOf(draft.path).at)
      problemList.report({ ...draft, message: draft.message.replaceAll(`"${formatPath(draft.path)}"`, `"${there}"`) })
    }),
    substitutions: substitutionsOf(base, insertions, originOf),
    reads: [...new Set([...base.reads, ...others.flatMap(({ reads }) => reads)])],
  }
}

/** Paths already reported as errors, translated to the merged source, so that they are not reported twice. */
function knownErrorPaths(base: ConfigSource, insertions: readonly Insertion[]): readonly string[] {
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

/** Insertions for values that `far` has below a path and `near` lacks: maps merge, other values of `near` stay. */
export function missingInsertions(
  near: unknown,
  far: ConfigSource,
  target: Pick<Insertion, 'path' | 'at'>,
): readonly Insertion[] {
  const there = valueAt(far.value, target.at)
  if (!isRecord(near) || !isRecord(there)) return []
  return Object.keys(there).flatMap((key) => {
    const inner = { path: [...target.path, key], at: [...target.at, key] }
    return Object.hasOwn(near, key) ? missingInsertions(near[key], far, inner) : [{ ...inner, source: far }]
  })
}
