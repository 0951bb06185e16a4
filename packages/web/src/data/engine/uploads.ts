/** The only place of DuckDB's file system that may be read, for as long as an import takes. */
export const uploads = 'up/'
