/** The path to a value in a parsed file: keys of maps and indices of lists. */
export type Path = readonly (string | number)[]

/** `claude.bash.enabled`, `approvals.allow[0]`, empty for the file as a whole. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`
    return text === '' ? segment : `${text}.${segment}`
  }, '')

/** With `[]` for any list index. */
export const patternOf = (path: Path): string => formatPath(path).replaceAll(/\[\d+\]/g, '[]')

/** Whether a formatted path equals `start` or is below it. Every path is within the empty one. */
export const isWithin = (path: string, start: string): boolean =>
  start === '' || path === start || path.startsWith(`${start}.`) || path.startsWith(`${start}[`)

export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, segment) => (isHolder(at, segment) ? Reflect.get(at, segment) : undefined), value)

const isHolder = (value: unknown, segment: string | number): value is object =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, segment)

/** Converts a path of the schema library; our paths never contain symbols. */
export const plainPath = (path: readonly PropertyKey[]): Path =>
  path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment))

/** The own entry of a table: keys come from files, and `constructor` must not return an inherited property. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined
