// Numbers that stand in no column: how long something took, whether it was late, what it brought.
import { wordsIn } from '../../words.ts'
import { isMeasure, kindOf } from './column-kind.ts'
import type { KnownColumn, KnownTable } from './known-tables.ts'

export interface DatePair {
  readonly from: KnownColumn
  readonly to: KnownColumn
}

const planned = /^(promis|due|expect|plan|schedul|deadline|estimat|target)/
const done = /^(deliver|arriv|actual|complet|finish|ship|done|clos|resolv|return|end|sent)/
const begun = /^(order|creat|open|start|begin|request|pick|plac|promis|report|from|registr|sign)/

const named = (table: KnownTable, pattern: RegExp): KnownColumn | undefined =>
  table.columns.find((column) => kindOf(column) === 'date' && wordsIn(column.name).some((word) => pattern.test(word)))

/** What was to be, and what was. */
export function latePair(table: KnownTable): DatePair | null {
  const [from, to] = [named(table, planned), named(table, done)]
  return from === undefined || to === undefined || from === to ? null : { from, to }
}

export function durationPair(table: KnownTable, said: readonly KnownColumn[]): DatePair | null {
  const [first, second] = said
  if (first !== undefined && second !== undefined) return { from: first, to: second }
  const [from, to] = [named(table, begun), named(table, done)]
  if (from !== undefined && to !== undefined && from !== to) return { from, to }
  return latePair(table)
}

/** Of hours, or of days where there are only days. */
export function durationSql({ from, to }: DatePair, nameOf: (column: KnownColumn) => string) {
  const isDays = [from, to].every(({ type }) => /^DATE$/i.test(type))
  const unit = isDays ? 'days' : 'hours'
  return { sql: `(epoch(${nameOf(to)}) - epoch(${nameOf(from)})) / ${isDays ? '86400.0' : '3600.0'}`, unit }
}

export interface Product {
  readonly quantity: KnownColumn
  readonly price: KnownColumn
  /** A part of one, taken off. */
  readonly discount: KnownColumn | null
}

export function revenueParts({ columns }: KnownTable): Product | null {
  const find = (pattern: RegExp) =>
    columns.find((column) => isMeasure(column) && wordsIn(column.name).some((word) => pattern.test(word)))
  const [quantity, price] = [find(/^(quantity|qty|units|pieces|count)$/), find(/^price$/)]
  if (quantity === undefined || price === undefined) return null
  const discount = find(/^discount$/)
  const isPart = discount !== undefined && Number(discount.summary?.max ?? 2) <= 1
  return { quantity, price, discount: isPart ? discount : null }
}
