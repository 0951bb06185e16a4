/** Holds the tables and steps themselves, whole: where people's SQL looks names up. The model's never reaches it. */
export const keptCatalog = 'quarterdeck_kept'

/** Has a view of each table without the columns that are never sent: where the model's SQL looks names up. */
export const shownCatalog = 'memory'

/** The only place of DuckDB's file system that may be read, for as long as an import takes. */
export const uploads = 'up/'
