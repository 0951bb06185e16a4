// DuckDB's errors suggest names that are alike, also of what an author does not have.

import { EngineError } from '../../domain/query-engine.ts'
import { fullCatalog, visibleCatalogPrefix } from '../../sql/catalog-name.ts'

export function withoutStrangeNames(error: EngineError, sql: string, hidden: readonly string[]): EngineError {
  const isStrange = (name: string): boolean => {
    const bare = name.split('.').at(-1)?.toLowerCase() ?? ''
    return (
      name.includes(fullCatalog) ||
      name.includes(visibleCatalogPrefix) ||
      /^(pg_|duckdb_|sqlite_|pragma_|information_schema)/i.test(name) ||
      hidden.some((one) => one.toLowerCase() === bare && !sql.toLowerCase().includes(bare))
    )
  }
  const message = error.message
    .replace(/\n?Did you mean "([^"]*)"(?: or "[^"]*")?\?/g, (words, name: string) => (isStrange(name) ? '' : words))
    .replaceAll(`${fullCatalog}.main.`, '')
    .replaceAll(`${fullCatalog}.`, '')
    .replace(shownNames, '')
  return message === error.message ? error : new EngineError(error.problem, message)
}

const shownNames = new RegExp(`${visibleCatalogPrefix}[0-9a-f]{32}\\.(?:main\\.)?`, 'g')
