// Columns of two tables that may mean the same thing, by their names and kinds alone: `depot_id` and `depots.id`.
import { type Column, kindOf } from '../cells.ts'

export interface NamedTable {
  readonly name: string
  readonly columns: readonly Column[]
}

export interface JoinSide {
  readonly table: string
  readonly column: string
}

export interface JoinPair {
  readonly left: JoinSide
  readonly right: JoinSide
}

/** The likeliest first. Each two columns come once. */
export function joinPairs(tables: readonly NamedTable[]): readonly JoinPair[] {
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

function pairsOf(left: NamedTable, right: NamedTable) {
  return left.columns.flatMap((one) =>
    right.columns.flatMap((other) => {
      if (kindOf(one) !== kindOf(other) || !/number|text|date/.test(kindOf(one))) return []
      const score = likeness(wordsOf(one.name), wordsOf(other.name), wordsOf(right.name))
      if (score === 0) return []
      const side = (table: NamedTable, { name }: Column) => ({ table: table.name, column: name })
      return [{ left: side(left, one), right: side(right, other), score }]
    }),
  )
}

const marks = new Set(['id', 'key', 'code', 'nr', 'no', 'number', 'uuid', 'guid', 'ref', 'name'])

function likeness(left: readonly string[], right: readonly string[], table: readonly string[]): number {
  const [one, other, owner] = [left.join(' '), right.join(' '), table.join(' ')]
  const mark = right.at(-1) ?? ''
  // depot_id → depots.id, and depot → depots.id, depots.name
  if (right.length === 1 && marks.has(mark)) {
    if (one === `${owner} ${mark}`) return 4
    // The last word of the table is what it holds: `shop_depots`.
    if (left.length === 2 && left[1] === mark && left[0] === table.at(-1)) return 3
    if (one === owner) return 2
  }
  // Every table may have an id of its own, and they have nothing to do with each other.
  if (one !== other || one === 'id') return 0
  return marks.has(mark) ? 3 : 1
}

/** Small, without marks between them, in the singular. */
function wordsOf(name: string): readonly string[] {
  const spaced = name.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').toLowerCase()
  return (spaced.match(/[\p{L}\p{N}]+/gu) ?? []).map(singular)
}

const singular = (word: string): string =>
  word.length < 4 ? word : word.replace(/ies$/, 'y').replace(/(?:([sxz]|[cs]h)es|([^su])s)$/, '$1$2')
