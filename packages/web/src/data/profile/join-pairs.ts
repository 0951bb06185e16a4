// Finds columns of two tables that may have the same meaning, by name and kind: `depot_id` and `depots.id`.
import { kindOf } from '../domain/cells.ts'
import type { TableFacts } from '../domain/query-engine.ts'
import type { JoinSuggestion } from '../domain/table-profile.ts'

export type JoinTable = Pick<TableFacts, 'name' | 'columns'>
export type JoinPair = Pick<JoinSuggestion, 'left' | 'right'>

/** Most likely first. Each pair occurs once. */
export function joinPairs(tables: readonly JoinTable[]): readonly JoinPair[] {
  const scored = tables.flatMap((left) =>
    tables.filter((right) => right !== left).flatMap((right) => pairsOf(left, right)),
  )
  const best = new Map<string, (typeof scored)[number]>()
  for (const one of scored.sort((some, other) => other.score - some.score)) {
    const key = [one.left, one.right].map(({ table, column }) => JSON.stringify([table, column])).sort()
    if (!best.has(key.join())) best.set(key.join(), one)
  }
  return [...best.values()].map(({ left, right }) => ({ left, right }))
}

function pairsOf(left: JoinTable, right: JoinTable) {
  const others = readColumns(right)
  const owner = wordsOf(right.name)
  // Only these can match: comparing every column of two wide tables would take millions of comparisons.
  const marked = others.filter(({ words: [word = '', ...more] }) => more.length === 0 && marks.has(word))
  const byWords = new Map<string, typeof others>()
  for (const other of others) byWords.set(other.spoken, [...(byWords.get(other.spoken) ?? []), other])
  return readColumns(left).flatMap((one) => {
    const alike = new Set([...(byWords.get(one.spoken) ?? []), ...marked])
    const inOrder = [...alike].sort((some, other) => some.index - other.index)
    return inOrder.flatMap((other) => {
      const score = one.kind === other.kind ? likeness(one.words, other.words, owner) : 0
      if (score === 0) return []
      return [{ left: { table: left.name, column: one.name }, right: { table: right.name, column: other.name }, score }]
    })
  })
}

const readColumns = ({ columns }: JoinTable) =>
  columns
    .map((column, index) => {
      const words = wordsOf(column.name)
      return { name: column.name, kind: kindOf(column), index, words, spoken: words.join(' ') }
    })
    .filter(({ kind }) => /number|text|date/.test(kind))

const marks = new Set(['id', 'key', 'code', 'nr', 'no', 'number', 'uuid', 'guid', 'ref', 'name'])

function likeness(left: readonly string[], right: readonly string[], table: readonly string[]): number {
  const [one, other, owner] = [left.join(' '), right.join(' '), table.join(' ')]
  const mark = right.at(-1) ?? ''
  // depot_id → depots.id, and depot → depots.id, depots.name
  if (right.length === 1 && marks.has(mark)) {
    if (one === `${owner} ${mark}`) return 4
    // The last word of the table is its content: `shop_depots`.
    if (left.length === 2 && left[1] === mark && left[0] === table.at(-1)) return 3
    if (one === owner) return 2
  }
  // Tables usually have their own unrelated ids.
  if (one !== other || one === 'id') return 0
  return marks.has(mark) ? 3 : 1
}

/** Lower case, without separators, in the singular. */
function wordsOf(name: string): readonly string[] {
  const spaced = name.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').toLowerCase()
  return (spaced.match(/[\p{L}\p{N}]+/gu) ?? []).map(singular)
}

const singular = (word: string): string =>
  word.length < 4 ? word : word.replace(/ies$/, 'y').replace(/(?:([sxz]|[cs]h)es|([^su])s)$/, '$1$2')
