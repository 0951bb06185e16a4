// Table names that need no quotes in SQL if possible, with letters of any language.
import { fullCatalog, isCatalogName, isStepName } from '../../sql/reserved-names.ts'

/** Derived from a file, sheet or table name, and unique. Ignores case, like DuckDB. */
export function tableName(source: string, taken: readonly string[]): string {
  const words = source
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '_')
    // SQL of a model must not contain this name, even as part of another.
    .replace(new RegExp(fullCatalog, 'gi'), 'kept')
    .replace(/^_+|_+$/g, '')
  const named = words === '' ? 'table_1' : /^\p{N}/u.test(words) ? `t_${words}` : words
  const free = isReserved(named) ? `${named}_table` : named
  return otherThan(free, taken)
}

/** `sales.csv.gz` becomes `sales`. */
export const stemOf = (file: string): string =>
  (file.split(/[\\/]/).at(-1) ?? file).replace(/(\.gz)+$/i, '').replace(/(?<=.)\.[\p{L}\p{N}]{1,8}$/u, '')

/** `name`, or `name_2`, `name_3` … */
export function otherThan(name: string, taken: readonly string[]): string {
  const used = new Set(taken.map((one) => one.toLowerCase()))
  if (!used.has(name.toLowerCase())) return name
  let count = 2
  while (used.has(`${name}_${count}`.toLowerCase())) count += 1
  return `${name}_${count}`
}

/** Renumbers a name that was numbered automatically. A name that the user typed stays if it is free. */
export const freeName = (name: string, found: string, taken: readonly string[]): string =>
  otherThan(name.replace(/_\d+$/, '').toLowerCase() === found.toLowerCase() ? found : name, taken)

const isReserved = (name: string): boolean =>
  reserved.has(name.toLowerCase()) || isStepName(name) || isCatalogName(name)

/** Words that DuckDB accepts as a name only in quotes. */
const reserved = new Set(
  `all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default
   deferrable desc describe distinct do else end except false fetch for foreign from group having in initially intersect
   into lambda lateral leading limit not null offset on only or order pivot placing primary qualify references returning
   select show some summarize symmetric table then to trailing true union unique unpivot using variadic when where window
   with`.split(/\s+/),
)

export interface NameClash {
  /** The existing table. */
  readonly taken: string
  /** A free name for the new table. */
  readonly free: string
  readonly replaces: boolean
}

/** Whether a new table has the name of an existing one, or was numbered because of it. The user decides. */
export function nameClash(name: string, found: string, names: readonly string[]): NameClash | null {
  const find = (wanted: string) => names.find((taken) => taken.toLowerCase() === wanted.toLowerCase())
  const taken = find(name)
  if (taken !== undefined) return { taken, free: freeName(name, found, names), replaces: true }
  const base = find(found)
  return base === undefined || name !== otherThan(found, names) ? null : { taken: base, free: name, replaces: false }
}
