// The column names and types of a result that may be sent without its rows.
import type { Column } from '../domain/cells.ts'

export interface KnownNames {
  /** Names of tables and columns that the model may know. */
  readonly names: readonly string[]
  /** Whether column names can contain cells: then only names of tables are sent. */
  readonly fromCells: boolean
}

/** Compares whole names, not words, because combined words can spell any cell. */
export function maskNames(columns: readonly Column[], { names, fromCells }: KnownNames): readonly Column[] {
  const known = new Set(names)
  return columns.map(({ name, type }, index) => ({
    name: fromCells && !known.has(name) ? `column ${index + 1}` : name,
    type: fromCells ? outerType(type) : withoutValues(type),
  }))
}

/** `STRUCT("a" BIGINT)` has names of columns in it. */
const outerType = (type: string): string => /^\w+/.exec(type)?.[0] ?? ''

/** `ENUM('a', 'b')` lists cell values. */
export const withoutValues = (type: string): string => type.replaceAll(/ENUM\s*\((?:[^')]|'(?:[^']|'')*')*\)/gi, 'ENUM')

/** Whether the query or schema contains it as a whole: `total`, `count_star()`, `avg(salary)` of `AVG( "salary" )`. */
export function createOwnNames(code: string, names: readonly string[]): (name: string) => boolean {
  const known = new Set(names.map((name) => name.toLowerCase()))
  const text = plain(code)
  return (name) => {
    if (known.has(name.toLowerCase()) || name === 'count_star()') return true
    return /[\p{L}\p{N}]/u.test(name) && text.includes(plain(name))
  }
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[\s"]+/g, '')
