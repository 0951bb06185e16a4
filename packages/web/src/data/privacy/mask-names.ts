// The names and types of a result's columns as they may be told where its rows are not.
import type { Column } from '../domain/cells.ts'

export interface KnownNames {
  /** Of tables and columns that the model may know. */
  readonly names: readonly string[]
  /** The names of the columns can be cells: then only names of the tables are told. */
  readonly fromCells: boolean
}

/** Whole names, never their words: words put together spell any cell. */
export function maskNames(columns: readonly Column[], { names, fromCells }: KnownNames): readonly Column[] {
  const known = new Set(names)
  return columns.map(({ name, type }, index) => ({
    name: fromCells && !known.has(name) ? `column ${index + 1}` : name,
    type: fromCells ? outerType(type) : withoutValues(type),
  }))
}

/** `STRUCT("a" BIGINT)` has names of columns in it. */
const outerType = (type: string): string => /^\w+/.exec(type)?.[0] ?? ''

/** `ENUM('a', 'b')` lists what is in the cells. */
export const withoutValues = (type: string): string => type.replaceAll(/ENUM\s*\((?:[^')]|'(?:[^']|'')*')*\)/gi, 'ENUM')

/** What a query or schema says itself, as a whole: `total`, `count_star()`, `avg(salary)` of `AVG( "salary" )`. */
export function createOwnNames(code: string, names: readonly string[]): (name: string) => boolean {
  const known = new Set(names.map((name) => name.toLowerCase()))
  const said = plain(code)
  return (name) => {
    if (known.has(name.toLowerCase()) || name === 'count_star()') return true
    return /[\p{L}\p{N}]/u.test(name) && said.includes(plain(name))
  }
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[\s"]+/g, '')
