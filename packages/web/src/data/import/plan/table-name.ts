// Names of tables: readable in SQL without quotes where that is possible, letters of any language kept.
import { fullCatalog, isCatalogName } from '../../sql/catalog-name.ts'
import { isStepName } from '../../sql/step-name.ts'

/** From the name of a file, a sheet or a table; other than the ones taken, for DuckDB and so without regard to case. */
export function tableName(source: string, taken: readonly string[]): string {
  const words = source
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '_')
    // No SQL of a model may name it, nor any name with it inside.
    .replace(new RegExp(fullCatalog, 'gi'), 'kept')
    .replace(/^_+|_+$/g, '')
  const named = words === '' ? 'table_1' : /^\p{N}/u.test(words) ? `t_${words}` : words
  const free = isReserved(named) ? `${named}_table` : named
  return otherThan(free, taken)
}

/** `sales.csv.gz` is about sales. */
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

/** The number that a name got because another was in the way is counted again; a name a person wrote stays where it can. */
export const freeName = (name: string, found: string, taken: readonly string[]): string =>
  otherThan(name.replace(/_\d+$/, '').toLowerCase() === found.toLowerCase() ? found : name, taken)

const isReserved = (name: string): boolean =>
  reserved.has(name.toLowerCase()) || isStepName(name) || isCatalogName(name)

/** Words that DuckDB takes as a name only in quotes. */
const reserved = new Set(
  `all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default
   deferrable desc describe distinct do else end except false fetch for foreign from group having in initially intersect
   into lambda lateral leading limit not null offset on only or order pivot placing primary qualify references returning
   select show some summarize symmetric table then to trailing true union unique unpivot using variadic when where window
   with`.split(/\s+/),
)
