// Finds the query in an answer: in a fenced block, as JSON, or in plain text.

import { isRecord, parseJson } from '@quarterdeck/protocol'

export interface SqlText {
  readonly sql: string
  readonly explanation: string
}

/** `null` if there is none. */
export function readSql(text: string): SqlText | null {
  return fenced(text) ?? asJson(text) ?? bare(text)
}

/**
 * The block marked as SQL, or the first one that is. A fence must end at the end of a line, because a name may contain
 * one.
 */
function fenced(text: string): SqlText | null {
  const blocks = [...text.matchAll(/```([^\n`]*)\n([\s\S]*?)(?:```[ \t]*\r?(?=\n|$(?![\s\S]))|$(?![\s\S]))/g)]
  const isOf = (language: string) => /^\s*(?:sql|duckdb|postgres\w*)\b/i.test(language)
  const block =
    blocks.find(([, language = '', code = '']) => isOf(language) && isStatement(code)) ??
    blocks.find(([, language = '', code = '']) => language.trim() === '' && isStatement(code))
  if (block === undefined) return null
  const [whole, , code = ''] = block
  // A function, so that a `$` in the replacement has no special meaning.
  const rest = text.replace(whole, () => '\n').replace(/\n{3,}/g, '\n\n')
  return { sql: code.trim(), explanation: rest.trim() }
}

function asJson(text: string): SqlText | null {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start < 0 || end < start) return null
  const value = parseJson(text.slice(start, end + 1))
  if (!isRecord(value) || typeof value.sql !== 'string' || !isStatement(value.sql)) return null
  return { sql: value.sql.trim(), explanation: typeof value.explanation === 'string' ? value.explanation : '' }
}

const name = String.raw`(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)`
const comments = String.raw`(?:\s|\(|--[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)*`

/** How reading statements start, roughly: sentences may start with the same words. */
const beginnings = [
  String.raw`select\b[\s\S]*\S`,
  String.raw`with\s+(?:recursive\s+)?${name}\s*(?:\([^)]*\)\s*)?(?:using\s+key\s*\([^)]*\)\s*)?as\s*(?:(?:not\s+)?materialized\s*)?\(`,
  String.raw`(?:from|table|summarize|describe|pivot|unpivot|pivot_wider|pivot_longer)\s*[\p{L}_"'(]`,
  String.raw`values\s*\(`,
  String.raw`(?:explain|show)\s+\S`,
].map((beginning) => new RegExp(`^${comments}${beginning}`, 'iu'))

/** Does not check whether a database accepts it. */
const isStatement = (text: string): boolean => beginnings.some((beginning) => beginning.test(text))

const firstWord = /^[ \t]*(?:select|with|from|summarize|describe|pivot|unpivot|values)\b[\s\S]*/im

/** From a line that starts a statement to its semicolon, or to the next empty line. */
function bare(text: string): SqlText | null {
  const found = firstWord.exec(text)
  if (found === null) return null
  const [sql = ''] = /^[\s\S]*?(?:;|\n\s*\n|$(?![\s\S]))/.exec(found[0].trimEnd()) ?? []
  if (!isStatement(sql) || isSentence(sql)) return null
  const rest = text.slice(0, found.index) + found[0].slice(sql.length)
  return { sql: sql.trim(), explanation: rest.trim() }
}

/** A query has a table or a star, does not end with a full stop, and has SQL keywords after a table. */
function isSentence(sql: string): boolean {
  if (/[.!?:…]\s*$/.test(sql)) return true
  if (/^\s*(?:from|summarize|describe)\b/i.test(sql)) return !fromTable.test(sql)
  return !/\bfrom\b|\bvalues\b|\*|^\s*(?:pivot|unpivot)\b/i.test(sql)
}

const joins = 'join|left|right|inner|full|cross|natural|asof|semi|anti|positional|using'
const clauses = 'select|where|group|having|window|qualify|order|limit|offset|union|except|intersect|pivot|sample'
const next = String.raw`(?:${joins}|${clauses})\b`
const alias = String.raw`(?:\s+as\s+${name}|\s+(?!${next})${name})?`
const table = String.raw`(?:['"(]|${name}(?:\.${name})*${alias}\s*(?:$|[;,(]|${next}))`
const fromTable = new RegExp(String.raw`^\s*(?:from|summarize|describe)\s+(?:${table}|select\b)`, 'iu')
