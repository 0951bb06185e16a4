/** The way to a value in a parsed file: keys of maps and indices of lists. */
export type Path = readonly (string | number)[]

/** `claude.bash.enabled`, `approvals.allow[0]`, empty for the file as a whole. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`
    return text === '' ? segment : `${text}.${segment}`
  }, '')

/** Of formatted paths: the same place, or one below it. Everything is within the file as a whole. */
export const isWithin = (path: string, start: string): boolean =>
  start === '' || path === start || path.startsWith(`${start}.`) || path.startsWith(`${start}[`)

export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, segment) => (isHolder(at, segment) ? Reflect.get(at, segment) : undefined), value)

const isHolder = (value: unknown, segment: string | number): value is object =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, segment)

export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A schema library's path; ours never has symbols in it. */
export const plainPath = (path: readonly PropertyKey[]): Path =>
  path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment))

/** A table's own entry: keys come from files, and `constructor` must not find what every object inherits. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined
