/**
 * Functions that DuckDB takes from its ICU extension, which this page does not have, but that need no time zone data:
 * the day and time of this browser, and seconds since 1970 as a TIMESTAMP in UTC. Statements for one catalog.
 */
export function ownFunctions(catalog: string, now: Date = new Date()): readonly string[] {
  const local = `CAST(now() AS TIMESTAMP) + to_minutes(${-now.getTimezoneOffset()})`
  const bodies: Readonly<Record<string, string>> = {
    'current_date()': `CAST(${local} AS DATE)`,
    'today()': `CAST(${local} AS DATE)`,
    // What CURRENT_TIME, LOCALTIME and LOCALTIMESTAMP call.
    'get_current_time()': `CAST(${local} AS TIME)`,
    'current_localtime()': `CAST(${local} AS TIME)`,
    'current_localtimestamp()': local,
    // DuckDB's own gives a TIMESTAMP WITH TIME ZONE, of which nothing can be calculated without ICU.
    'to_timestamp(seconds)': 'make_timestamp(CAST(CAST(seconds AS DOUBLE) * 1000000 AS BIGINT))',
  }
  return Object.entries(bodies).map(([signature, body]) => `CREATE MACRO ${catalog}.main.${signature} AS ${body}`)
}
