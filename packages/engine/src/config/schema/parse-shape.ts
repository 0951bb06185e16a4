// Parses a source with a strict schema and reports all problems at once: invalid values are reported and removed and
// the rest is parsed again, so that later checks see all valid values.
import type { z } from 'zod'
import type { ProblemDraft } from '../problems/problem-list.ts'
import { formatPath, type Path, patternOf, plainPath, valueAt } from '../problems/value-path.ts'
import type { ConfigSource } from '../yaml/config-source.ts'
import { describeIssue } from './describe-issue.ts'

export interface ShapeOptions<Schema extends z.ZodType> {
  readonly schema: Schema
  readonly source: ConfigSource
  /** The value to parse: that of the source without refused parts. */
  readonly value: unknown
  /** Keys to suggest in addition to those of the schema, by formatted path of their map. */
  readonly otherKeys?: Readonly<Record<string, readonly string[]>>
  /** Replacements for required values that are missing or wrong, by formatted path with `[]` for any index. */
  readonly standIns?: StandIns
}

/** A function creates one for its index in the list. */
export type StandIns = Readonly<Record<string, unknown | ((path: Path) => unknown)>>

const maxPasses = 12

/** Null only if nothing usable is left; then at least one error was reported. */
export function parseShape<Schema extends z.ZodType>(options: ShapeOptions<Schema>): z.infer<Schema> | null {
  const { schema, source, standIns = {}, otherKeys = {} } = options
  const repair = createRepair(structuredClone(options.value), standIns)
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const result = schema.safeParse(repair.value())
    if (result.success) return result.data
    // Issues are described before values are removed: a removed value would look missing.
    const drafts = result.error.issues
      .filter((issue) => !coerce(issue, source, repair))
      .flatMap((issue) => describeIssue(issue, { schema, value: repair.value(), source, otherKeys }))
    for (const draft of drafts) if (!repair.wasRemoved(draft.path)) source.report(draft)
    repair.remove(drafts.map(({ path }) => path))
    if (repair.value() === undefined) return null
  }
  source.report(giveUp)
  return null
}

const giveUp: ProblemDraft = {
  severity: 'error',
  code: 'config.invalid',
  path: [],
  message: 'too many mistakes: fix the ones reported here first',
}

/** `max_turns: ${N}` is text after substitution and is converted if the schema expects a number or boolean. */
function coerce(issue: z.core.$ZodIssue, source: ConfigSource, repair: Repair): boolean {
  if (issue.code !== 'invalid_type') return false
  const path = plainPath(issue.path)
  const text = repair.get(path)
  if (typeof text !== 'string' || !source.substitutions.has(formatPath(path))) return false
  if (issue.expected === 'boolean' && /^(?:true|false)$/.test(text)) return repair.set(path, text === 'true')
  const isNumber = (issue.expected === 'number' || issue.expected === 'int') && /^-?\d+(?:\.\d+)?$/.test(text)
  return isNumber && repair.set(path, Number(text))
}

type Repair = ReturnType<typeof createRepair>

function createRepair(start: unknown, standIns: StandIns) {
  let root = start
  const removed = new Set<string>()
  const stoodIn = new Set<string>()
  const holderOf = (path: Path): object | undefined => {
    const parent = valueAt(root, path.slice(0, -1))
    return typeof parent === 'object' && parent !== null ? parent : undefined
  }
  const set = (path: Path, value: unknown): true => {
    const parent = holderOf(path)
    if (parent !== undefined) Reflect.set(parent, path.at(-1) ?? '', value)
    return true
  }
  const removeOne = (path: Path): void => {
    const key = path.at(-1)
    const at = formatPath(path)
    const parent = holderOf(path)
    const pattern = patternOf(path)
    if (key === undefined) {
      root = undefined
    } else if (parent === undefined) {
      // The parent was removed because of another mistake.
    } else if (Object.hasOwn(standIns, pattern) && !stoodIn.has(at)) {
      const standIn = standIns[pattern]
      set(path, typeof standIn === 'function' ? standIn(path) : structuredClone(standIn))
      stoodIn.add(at)
    } else if (typeof key === 'number' || !Object.hasOwn(parent, key)) {
      // Removing one item would shift the indices of the others, so the whole list goes.
      removeOne(path.slice(0, -1))
    } else {
      Reflect.deleteProperty(parent, key)
    }
    removed.add(at)
  }
  /** Removes the value at each path; if there is none, removes its parent. */
  const remove = (paths: readonly Path[]): void => {
    const targets = new Map(paths.map((path) => [formatPath(path), path]))
    for (const path of targets.values()) removeOne(path)
  }
  return {
    value: () => root,
    get: (path: Path) => valueAt(root, path),
    set,
    remove,
    wasRemoved: (path: Path) => removed.has(formatPath(path)),
  }
}
