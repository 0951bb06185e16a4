// Decides which SQL reaches DuckDB. The read-only transaction and the locked configuration are the other two
// protections: they allow COPY into the import folder, ATTACH, PREPARE, USE and SET VARIABLE, and do not distinguish
// authors.
import type { Author } from '../../domain/query-engine.ts'
import { catalogNames, fullCatalog, isStepName } from '../../sql/reserved-names.ts'
import { isTablePosition } from './is-table-position.ts'
import type { Token } from './sql-tokens.ts'

export interface GuardRules {
  readonly author: Author
  /** Tables that this author cannot read. */
  readonly hidden: readonly string[]
  readonly builtIn: BuiltInNames
}

/** Built-in names of DuckDB, in lower case. */
export interface BuiltInNames {
  /** Views that list the catalog: `duckdb_columns`, `pg_class`. */
  readonly catalogViews: ReadonlySet<string>
  readonly tableFunctions: ReadonlySet<string>
  /** Table functions that are scalar or aggregate functions as well: `histogram`. */
  readonly alsoValues: ReadonlySet<string>
}

/** `explains`: index where the explained statement starts. */
export type GuardVerdict =
  | { readonly refusal: string }
  | { readonly refusal: null; readonly sql: string; readonly explains: number | null }

const readingKeywords = [
  'SELECT',
  'WITH',
  'FROM',
  'VALUES',
  'TABLE',
  'DESCRIBE',
  'SUMMARIZE',
  'SHOW',
  'PIVOT',
  'UNPIVOT',
]
const opening = new Set([...readingKeywords, 'DESC', 'PIVOT_WIDER', 'PIVOT_LONGER'].map((word) => word.toLowerCase()))
const oneStatement = `Only one statement that reads is allowed: ${readingKeywords.join(', ')} or EXPLAIN.`

export function judge(sql: string, tokens: readonly Token[] | null, rules: GuardRules): GuardVerdict {
  if (tokens === null)
    return { refusal: `${oneStatement} This text cannot be parsed safely. Use plain SQL without unusual characters.` }
  const end = tokens.findIndex(isSemicolon)
  const statement = end < 0 ? tokens : tokens.slice(0, end)
  if (end >= 0 && !tokens.slice(end).every(isSemicolon)) {
    return { refusal: `${oneStatement} There is more after the semicolon.` }
  }
  if (statement.length === 0) return { refusal: `${oneStatement} The text contains none.` }
  const explained = explainedFrom(statement)
  const first = statement.slice(explained ?? 0).find(({ value }) => value !== '(')
  if (first === undefined || first.kind !== 'word' || !opening.has(first.value)) {
    return { refusal: `${oneStatement} This one starts with ${first?.value.toUpperCase() ?? 'nothing'}.` }
  }
  const refusal = refuseChanges(statement) ?? (rules.author === 'model' ? refuseNames(statement, rules) : null)
  if (refusal !== null) return { refusal }
  const explains = explained === null ? null : (statement[explained]?.start ?? null)
  return { refusal: null, sql: sql.slice(0, statement.at(-1)?.end), explains }
}

const isSemicolon = ({ kind, value }: Token): boolean => kind === 'operator' && value === ';'

/** The index after EXPLAIN, ANALYZE and options in brackets; `null` without EXPLAIN. */
function explainedFrom(tokens: readonly Token[]): number | null {
  if (tokens[0]?.value !== 'explain' || tokens[0].kind !== 'word') return null
  let at = tokens[1]?.value === 'analyze' ? 2 : 1
  const [bracket, option] = tokens.slice(at)
  if (bracket?.value === '(' && ['analyze', 'format'].includes(option?.value ?? '')) {
    at = tokens.findIndex((token, index) => index > at && token.value === ')') + 1
  }
  return at
}

/** Functions that reveal more than their arguments, the execution, or an argument in an error. */
const revealingFunctions = new Set([
  ...['error', 'stats', 'vector_type', 'getvariable', 'current_setting', 'getenv', 'current_query'],
  ...['current_database', 'current_catalog', 'current_schema', 'current_schemas', 'in_search_path'],
  ...['txid_current', 'current_transaction_id', 'current_connection_id', 'current_query_id', 'pg_backend_pid'],
  ...['pg_get_viewdef', 'pg_get_constraintdef', 'pg_get_expr', 'get_block_size', 'parse_duckdb_log_message'],
])

/** Functions with side effects in a reading statement: refused for every author. */
const changingCalls = new Set([
  ...['enable_logging', 'disable_logging', 'truncate_duckdb_logs', 'write_log', 'nextval', 'setseed'],
  ...['checkpoint', 'force_checkpoint', 'enable_profiling', 'disable_profiling'],
])

/** Table functions that generate rows and read no table. */
const harmlessTables = new Set(['range', 'generate_series', 'unnest', 'repeat', 'repeat_row'])

const noCatalog = 'The database catalog is not available: only the tables of this analysis and step_n can be read.'

function refuseChanges(tokens: readonly Token[]): string | null {
  const call = tokens.find(
    ({ kind, value }, at) =>
      (kind === 'word' || kind === 'name') && changingCalls.has(value) && tokens[at + 1]?.value === '(',
  )
  return call === undefined ? null : `Only reading is allowed, but ${call.value} has side effects.`
}

function refuseNames(tokens: readonly Token[], rules: GuardRules): string | null {
  const hidden = new Set(rules.hidden.map((name) => name.toLowerCase()))
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'operator' || token.kind === 'number') continue
    const name = token.value.toLowerCase()
    if (name.includes(fullCatalog)) return noCatalog
    const isRead = isTablePosition(tokens, firstPart(tokens, at))
    const refusal =
      token.kind === 'string'
        ? refuseSpelling(tokens, at, isRead)
        : (refuseShow(tokens, at) ?? refuseCall(tokens, at, rules.builtIn))
    if (refusal !== null) return refusal
    if (namesCatalog(token, rules.builtIn)) return noCatalog
    if (isRead && hidden.has(name)) return `The table "${name}" is not part of this analysis.`
  }
  return null
}

/**
 * DuckDB may read a string as a table in more positions than are known here, so strings with catalog names are refused
 * anywhere.
 */
function namesCatalog({ kind, value }: Token, { catalogViews }: BuiltInNames): boolean {
  const name = value.toLowerCase()
  if (catalogViews.has(name)) return true
  return kind === 'string' ? catalogNames.test(name) : name === 'information_schema' || name === 'pg_catalog'
}

const writePlainly =
  'Write table names plainly or in double quotes. Use no escapes in a string that could be a table name.'

/**
 * The tables and steps of a query are found by their names. Strings must not spell such a name where DuckDB could read
 * it as a table; not all of these positions are known here.
 */
function refuseSpelling(tokens: readonly Token[], at: number, isRead: boolean): string | null {
  const token = tokens[at]
  if (token === undefined) return null
  if (token.isEscaped !== true) return isRead && isStepName(token.value) ? writePlainly : null
  const isAfterReader = isRead && tokens[at - 1]?.kind === 'word'
  return isAfterReader || /^[\p{L}\p{M}\p{N}_$ ]+$/u.test(token.value) ? writePlainly : null
}

/** SHOW, and DESCRIBE of anything but a table or query, list the catalog. Unquoted they are never names. */
function refuseShow(tokens: readonly Token[], at: number): string | null {
  const token = tokens[at]
  if (token?.kind !== 'word') return null
  const before = tokens[at - 1]
  // `1 AS show`, `t.show`
  if (before?.value === 'as' || before?.value === '.') return null
  if (token.value === 'show') return noCatalog
  const isDescribe =
    token.value === 'describe' ||
    (token.value === 'desc' && (before === undefined || before.value === '(' || before.value === 'explain'))
  if (!isDescribe) return null
  const next = tokens[at + 1]
  const isListing = next?.kind === 'word' && ['tables', 'all', 'databases', 'schemas', 'variables'].includes(next.value)
  return next === undefined || next.value === ')' || isListing ? noCatalog : null
}

function refuseCall(tokens: readonly Token[], at: number, builtIn: BuiltInNames): string | null {
  const name = tokens[at]?.value ?? ''
  if (tokens[at + 1]?.value !== '(') return null
  if (revealingFunctions.has(name)) return `The function ${name} is not available here.`
  if (!builtIn.tableFunctions.has(name) || harmlessTables.has(name)) return null
  if (builtIn.alsoValues.has(name) && !isTablePosition(tokens, firstPart(tokens, at))) return null
  return `The table function ${name} is not available here: only the tables of this analysis and step_n can be read.`
}

/** The index of `main` in `main.schema.t`. */
function firstPart(tokens: readonly Token[], at: number): number {
  return tokens[at - 1]?.value === '.' && at >= 2 ? firstPart(tokens, at - 2) : at
}
