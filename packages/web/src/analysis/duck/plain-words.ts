// Errors of DuckDB for a reader who can do something about them: nothing of extensions that cannot be loaded, nothing of
// files there are none of, and no address.
import { keptCatalog } from '../catalog-name.ts'
import { EngineError } from '../engine.ts'
import { uploads } from './uploads.ts'

export function toEngineError(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) return thrown
  const raw = thrown instanceof Error ? thrown.message : String(thrown)
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
    return new EngineError('dead', 'The database of this page stopped working.')
  }
  return new EngineError('sql', plain(text))
}

const missing: readonly (readonly [RegExp, string])[] = [
  [
    /json extension|\bjson_|read_json|::json\b|type with name json/i,
    'JSON functions are not available here. JSON files become columns when they are added; take text apart with string functions or regexp_extract.',
  ],
  [
    /icu extension|TIMESTAMP WITH TIME ZONE|timezone\(|at time zone/i,
    'Functions of time zones are not available here. Cast to TIMESTAMP first: CAST(x AS TIMESTAMP).',
  ],
  [
    /(parquet|excel|sqlite|spatial|httpfs|fts|delta|iceberg|postgres|mysql)\w* extension|read_parquet|read_xlsx|parquet_/i,
    'That function is not available here. Files are added as tables by the person, before they are asked about.',
  ],
]

function plain(text: string): string {
  if (/file system operations are disabled|No files found|Cannot access file|Cannot open file/i.test(text)) {
    return 'Files and addresses cannot be read here: only the tables of this page can.'
  }
  if (/Contents of view were altered/.test(text)) return 'A table or step that this reads has changed: run it again.'
  if (/configuration has been locked|read-only mode|Loading external extensions/i.test(text)) {
    return 'Only reading is allowed here.'
  }
  if (/is not in the catalog, but it exists in|extension|No function matches/i.test(text)) {
    const advice = missing.find(([pattern]) => pattern.test(text))?.[1]
    if (advice !== undefined) return `${firstLine(text)} ${advice}`
    if (/extension/i.test(text)) return `${firstLine(text)} That function is not available here.`
  }
  return text
}

const firstLine = (text: string): string =>
  (text.split('\n')[0] ?? '')
    .replace(/ is not in the catalog, but it exists in the \w+ extension\.?/, ' is not available.')
    .replace(/ You might need to add explicit type casts\.?/, '')

function tidy(raw: string): string {
  const structured = /^\{"exception_type":/.test(raw) ? readStructured(raw) : raw
  return withoutRepeats(withoutOwnNames(structured.replace(/\s*https?:\/\/\S+/g, ''))).trim()
}

/** Files and tables on their way in have names that nobody gave them. */
const withoutOwnNames = (text: string): string =>
  text
    .replace(new RegExp(`(["'])?${uploads}${uuid}\\1`, 'gi'), 'the file')
    .replace(new RegExp(`(["'])?(?:${keptCatalog}\\.main\\.)?(["'])?arriving ${uuid}\\2\\1`, 'gi'), 'the new table')

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

function readStructured(raw: string): string {
  try {
    const { exception_type, exception_message } = JSON.parse(raw) as Record<string, unknown>
    return `${String(exception_type)} Error: ${String(exception_message)}`
  } catch {
    return raw // not JSON after all
  }
}

/** DuckDB shows the line of a syntax error twice. */
function withoutRepeats(text: string): string {
  const blocks = text.split('\n\n')
  return blocks.filter((block, at) => blocks.indexOf(block) === at).join('\n\n')
}
