// Whether a token is at a position where SQL reads a table. Unclear positions count as such.
import type { Token } from './sql-tokens.ts'

const readers = ['from', 'join', 'lateral', 'table', 'describe', 'desc', 'summarize', 'show', 'pivot', 'unpivot']

/** A list after one of these keywords contains no tables. All other tokens between FROM and a comma are ignored. */
const otherLists = ['select', 'where', 'group', 'having', 'order', 'limit', 'qualify', 'window', 'offset', 'with']

/** `at` is the first part of a possibly qualified name. */
export function isTablePosition(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]
  if (before === undefined) return false
  if (before.kind === 'word') return readers.includes(before.value)
  if (before.kind !== 'operator') return false
  // `FROM alias: t`
  if (before.value === ':') return at >= 2 && isTablePosition(tokens, at - 2)
  // `FROM (t JOIN u …)`
  if (before.value === '(') return isTablePosition(tokens, at - 1)
  return before.value === ',' && isListOfTables(tokens, at - 1)
}

/** Goes back through the list of this comma, skipping brackets, to its opening token. */
function isListOfTables(tokens: readonly Token[], comma: number): boolean {
  let depth = 0
  for (let at = comma - 1; at >= 0; at -= 1) {
    const { kind, value } = tokens[at] ?? { kind: 'operator', value: '' }
    if (kind === 'operator' && /^[)\]}]$/.test(value)) depth += 1
    else if (kind === 'operator' && /^[([{]$/.test(value)) {
      if (depth === 0) return value === '(' && isTablePosition(tokens, at)
      depth -= 1
    } else if (depth === 0 && kind === 'word') {
      if (value === 'from') return true
      if (otherLists.includes(value)) return false
    }
  }
  return false
}
