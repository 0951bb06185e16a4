// Rewrites DuckDB errors for users and models: names a missing extension without the advice to install it (this page
// loads none), and omits files and addresses.
import { isRecord, messageOf, parseJson } from '@quarterdeck/protocol'
import { EngineError } from '../domain/query-engine.ts'
import { fullCatalog, visibleCatalogPrefix } from '../sql/reserved-names.ts'
import { uploads } from './setup-statements.ts'

export function toEngineError(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) return thrown
  const raw = messageOf(thrown)
  const text = tidy(raw)
  if (/out of memory|memory\.grow|cannot enlarge memory|bad_alloc|failed to allocate/i.test(raw)) {
    return new EngineError(
      'memory',
      'This needs more memory than the database of this page has. Read fewer columns, filter first, or aggregate.',
    )
  }
  if (
    (thrown instanceof Error && thrown.name === 'RuntimeError') ||
    /^(memory access out of bounds|unreachable|table index is out of bounds|function signature mismatch|aborted\()/i.test(
      raw,
    )
  ) {
    return new EngineError('dead', 'The database of this page crashed.')
  }
  return new EngineError('sql', plain(text))
}

/** By extension: the error message, with what to write instead. */
const extensions: Readonly<Record<string, string>> = {
  json: `This needs DuckDB's JSON extension, which this page does not have. JSON files become columns when they are added. Parse text with string functions or regexp_extract.`,
  icu: `This needs DuckDB's ICU extension, which this page does not have: time zones and language collations are not available. Cast to TIMESTAMP first: CAST(x AS TIMESTAMP). For another time zone, add its offset: x + INTERVAL 2 HOUR.`,
}

const castText =
  'An argument is text: cast it first, as in CAST(x AS DATE) or try_cast(x AS DATE), or parse it with try_strptime.'

const parseWithFormat = 'Read text with strptime(text, format) or try_strptime; to_timestamp takes seconds since 1970.'

/** A call of a date or time function with an argument of text. */
const dateCallWithText =
  /['"](\w*date\w*|\w*time\w*|age|year|quarter|month|week|\w*day\w*|hour|minute|second|epoch\w*|strf\w+)\(.*\bVARCHAR\b/

function plain(text: string): string {
  if (/file system operations are disabled|No files found|Cannot access file|Cannot open file/i.test(text)) {
    return 'Files and addresses cannot be read here: only the tables of this page can.'
  }
  if (/Contents of view were altered/.test(text)) return 'A table or step that this reads has changed: run it again.'
  const extension = missingExtension(text)
  if (extension !== null) return `${firstLine(text)} ${extensions[extension] ?? otherExtension(extension)}`.trim()
  if (/configuration has been locked|read-only mode/i.test(text)) return 'Only reading is allowed here.'
  if (/Macro to_timestamp\(\) does not support/.test(text)) return `${firstLine(text)} ${parseWithFormat}`
  const call = /^Binder Error: (?:No function matches|Could not choose)[^\n]*/.exec(text)?.[0]
  if (call !== undefined && /WITH TIME ZONE/.test(call)) return `${firstLine(text)} ${extensions.icu}`
  if (call !== undefined && (dateCallWithText.test(call) || /'[-+]\(VARCHAR, (INTERVAL|DATE|TIMESTAMP)/.test(call)))
    return `${firstLine(text)} ${castText}`
  return text
}

/** In lower case; `null` if the error is not about an extension. */
function missingExtension(text: string): string | null {
  if (/Unimplemented type for cast \(.*WITH TIME ZONE/.test(text)) return 'icu'
  const found =
    /^[\w ]*(?:Catalog|Extension)[\w ]* Error: .*(?:required extension '(\w+)'|exists in the (\w+) extension)/i.exec(
      text,
    )
  return (found?.[1] ?? found?.[2])?.toLowerCase() ?? null
}

const otherExtension = (name: string): string =>
  `This needs DuckDB's ${name} extension, which this page does not have. The user adds files as tables before asking about them.`

const firstLine = (text: string): string =>
  (text.split('\n')[0] ?? '')
    .replace(/^Extension Autoloading Error: .*/, '')
    .replace(/ is not in the catalog, .*/, ' is not available.')
    .replace(/ You might need to add explicit type casts\.?/, '')
    .replace(/ In order to select one, please add explicit type casts\.?/, '')

function tidy(raw: string): string {
  const structured = /^\{"exception_type":/.test(raw) ? readStructured(raw) : raw
  return withoutRepeats(withoutOwnNames(structured.replace(/\s*https?:\/\/\S+/g, ''))).trim()
}

/** Files and staged tables have internal names. */
const withoutOwnNames = (text: string): string =>
  text
    .replace(new RegExp(`(["'])?${uploads}${uuid}\\1`, 'gi'), 'the file')
    .replace(new RegExp(`(["'])?(?:${fullCatalog}\\.main\\.)?(["'])?arriving ${uuid}\\2\\1`, 'gi'), 'the new table')

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

function readStructured(raw: string): string {
  const value = parseJson(raw)
  return isRecord(value) ? `${String(value.exception_type)} Error: ${String(value.exception_message)}` : raw
}

/** DuckDB shows the line of a syntax error twice. */
function withoutRepeats(text: string): string {
  const blocks = text.split('\n\n')
  return blocks.filter((block, at) => blocks.indexOf(block) === at).join('\n\n')
}

// DuckDB suggests similar names, even ones that the author cannot read.
export function withoutHiddenNames(error: EngineError, sql: string, hidden: readonly string[]): EngineError {
  const isHidden = (name: string): boolean => {
    const bare = name.split('.').at(-1)?.toLowerCase() ?? ''
    return (
      name.includes(fullCatalog) ||
      name.includes(visibleCatalogPrefix) ||
      /^(pg_|duckdb_|sqlite_|pragma_|information_schema)/i.test(name) ||
      hidden.some((one) => one.toLowerCase() === bare && !sql.toLowerCase().includes(bare))
    )
  }
  const message = error.message
    .replace(/\n?Did you mean "([^"]*)"(?: or "[^"]*")?\?/g, (suggestion, name: string) =>
      isHidden(name) ? '' : suggestion,
    )
    .replaceAll(`${fullCatalog}.main.`, '')
    .replaceAll(`${fullCatalog}.`, '')
    .replace(visibleCatalogNames, '')
  return message === error.message ? error : new EngineError(error.problem, message)
}

const visibleCatalogNames = new RegExp(`${visibleCatalogPrefix}[0-9a-f]{32}\\.(?:main\\.)?`, 'g')
