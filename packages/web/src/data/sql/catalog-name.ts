/** Holds the tables and steps themselves, whole: where people's SQL looks names up. The model's never reaches it. */
export const fullCatalog = 'quarterdeck_kept'

/** Catalogs with views of what a model has, without the columns that are never sent: where its SQL looks names up. */
export const visibleCatalogPrefix = 'quarterdeck_shown_'

/** What the database lists itself by: a text of a model's SQL may not be one of these. */
export const catalogNames = /^(?:information_schema|pg_catalog)$|^(?:duckdb_|pragma_|sqlite_)/

/**
 * A table of such a name could be one of the database's own, which no model reads. None of those ends in `_table`; and
 * no SQL of a model may have the name of what is kept in it, wherever.
 */
export const isCatalogName = (name: string): boolean =>
  name.toLowerCase().includes(fullCatalog) ||
  ((catalogNames.test(name.toLowerCase()) || /^pg_/i.test(name)) && !/_table(?:_\d+)?$/i.test(name))
