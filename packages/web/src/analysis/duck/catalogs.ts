/** Catalogs with views of what a model has, without the columns that are never sent: where its SQL looks names up. */
export const shownPrefix = 'quarterdeck_shown_'

/** The only place of DuckDB's file system that may be read, for as long as an import takes. */
export const uploads = 'up/'
