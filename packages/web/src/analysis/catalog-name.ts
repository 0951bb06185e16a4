/** Holds the tables and steps themselves, whole: where people's SQL looks names up. The model's never reaches it. */
export const keptCatalog = 'quarterdeck_kept'

/** What the database lists itself by: a text of a model's SQL may not be one of these. */
export const catalogNames = /^(?:information_schema|pg_catalog)$|^(?:duckdb_|pragma_|sqlite_)/

/** A table of such a name could be one of the database's own, which no model reads. None of those ends in `_table`. */
export const isCatalogName = (name: string): boolean =>
  (catalogNames.test(name.toLowerCase()) || /^pg_/i.test(name)) && !/_table(?:_\d+)?$/i.test(name)
