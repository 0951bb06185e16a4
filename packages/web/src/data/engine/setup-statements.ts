/** Run before any other SQL: attaches the catalog for tables, then blocks extensions, files and the network. */
export const setupStatements = (catalog: string): readonly string[] => [
  `ATTACH ':memory:' AS ${catalog}`,
  ...dateMacros(catalog),
  'SET autoinstall_known_extensions = false',
  'SET autoload_known_extensions = false',
  `SET allowed_directories = ['${uploads}']`,
  'SET enable_external_access = false',
  'SET lock_configuration = true',
]

/**
 * Statements that define date functions in a catalog. DuckDB has them in its ICU extension, which this page does not
 * load. They return the date and time of this browser's clock, and seconds since 1970 as a TIMESTAMP in UTC.
 */
export function dateMacros(catalog: string, now: Date = new Date()): readonly string[] {
  const local = `CAST(now() AS TIMESTAMP) + to_minutes(${-now.getTimezoneOffset()})`
  const bodies: Readonly<Record<string, string>> = {
    'current_date()': `CAST(${local} AS DATE)`,
    'today()': `CAST(${local} AS DATE)`,
    // CURRENT_TIME, LOCALTIME and LOCALTIMESTAMP call the next three.
    'get_current_time()': `CAST(${local} AS TIME)`,
    'current_localtime()': `CAST(${local} AS TIME)`,
    'current_localtimestamp()': local,
    // The built-in one returns TIMESTAMP WITH TIME ZONE, which needs ICU for every calculation.
    'to_timestamp(seconds)': 'make_timestamp(CAST(CAST(seconds AS DOUBLE) * 1000000 AS BIGINT))',
  }
  return Object.entries(bodies).map(([signature, body]) => `CREATE MACRO ${catalog}.main.${signature} AS ${body}`)
}

/** The only readable folder of DuckDB's file system, used during an import. */
export const uploads = 'up/'
