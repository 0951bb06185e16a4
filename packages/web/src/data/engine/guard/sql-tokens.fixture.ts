// A simplified DuckDB tokenizer for unit tests; e2e/data/engine-sql.test.ts uses the real one.
import type { ScriptTokens } from '@duckdb/duckdb-wasm'
import { readTokens, type Token } from './sql-tokens.ts'

const parts =
  /(?<gap>\s+|--[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|\$\$[\s\S]*?\$\$)|(?<name>"(?:[^"]|"")*")|(?<word>[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)|(?<number>\d[\d.]*)|(?<operator>::|<=|>=|<>|\|\||.)/gu

export function tokenize(sql: string): ScriptTokens {
  const offsets: number[] = []
  const types: number[] = []
  for (const match of sql.matchAll(parts)) {
    const { gap, string, name, word, number } = match.groups ?? {}
    if (gap !== undefined) continue
    offsets.push(new TextEncoder().encode(sql.slice(0, match.index)).length)
    types.push(
      string !== undefined ? 2 : number !== undefined ? 1 : name !== undefined ? 0 : word !== undefined ? 4 : 3,
    )
  }
  return { offsets, types }
}

export function tokensOf(sql: string): readonly Token[] {
  return readTokens(sql, tokenize(sql)) ?? []
}
