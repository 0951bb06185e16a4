/** The catalog with the complete tables and steps. SQL of the user resolves names here; a model's SQL never reads it. */
export const fullCatalog = 'quarterdeck_kept'

/** Prefix of the catalogs that SQL of a model reads: views without the columns that are never sent. */
export const visibleCatalogPrefix = 'quarterdeck_shown_'

/** Names of DuckDB's own catalog. Strings in SQL of a model must not match them. */
export const catalogNames = /^(?:information_schema|pg_catalog)$|^(?:duckdb_|pragma_|sqlite_)/

/**
 * Tables with such a name could shadow a catalog table of DuckDB, and models may not read those. Names that end in
 * `_table` are safe. SQL of a model must not contain the name of the full catalog anywhere.
 */
export const isCatalogName = (name: string): boolean =>
  name.toLowerCase().includes(fullCatalog) ||
  ((catalogNames.test(name.toLowerCase()) || /^pg_/i.test(name)) && !/_table(?:_\d+)?$/i.test(name))

/** The name of a table until its import is complete. Lists and models do not see such tables. */
export const newStagingName = (): string => `arriving ${crypto.randomUUID()}`

export const isStagingName = (name: string): boolean => /^arriving [0-9a-f-]{36}$/i.test(name)

/** Step results are views named `step_1`, `step_2` …, so tables cannot use these names. */
export const isStepName = (name: string): boolean => /^step_\d+$/i.test(name)

/**
 * Why a table cannot have this name, or `null` if it can. `others` are the names of all other tables, including missing
 * ones.
 */
export function tableNameProblem(name: string, others: readonly string[]): string | null {
  if (name === '') return 'Enter a name for the table.'
  if (isStepName(name)) return 'Names like this are reserved for analysis steps. Choose another.'
  if (isCatalogName(name)) return 'Names like this are reserved by the database. Choose another.'
  return others.some((one) => one.toLowerCase() === name.toLowerCase()) ? `A table named ${name} already exists.` : null
}
