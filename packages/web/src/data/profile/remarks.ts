// Remarks that a user should know before trusting a column.
import { quoteName } from '../domain/cells.ts'
import type { AskTable } from './ask-table.ts'
import type { ColumnFacts } from './column-facts.ts'

/** The number of rows in which texts are checked. */
const sampleLimit = 20_000

export async function remarksOn(ask: AskTable, facts: readonly ColumnFacts[]): Promise<readonly (readonly string[])[]> {
  const texts = facts.filter(({ kind, count }) => kind === 'text' && count > 0)
  const seen = await inspectTexts(ask, texts)
  return facts.map((one) => [...remarksOf(one, ask.table.rowCount), ...(seen.get(one.column.name) ?? [])])
}

export function remarksOf(facts: ColumnFacts, rowCount: number): readonly string[] {
  const { nulls, distinct, count, kind, quantiles, span, isEstimated, isSampled } = facts
  if (rowCount === 0) return []
  if (count === 0) return ['always empty']
  const remarks: string[] = []
  const share = nulls / rowCount
  if (share >= 0.05) remarks.push(`${percent(share)} empty`)
  if (distinct === 1 && kind !== 'other') remarks.push(nulls === 0 ? 'every row the same' : 'one value, or empty')
  const [low, high] = [Number(quantiles?.q25), Number(quantiles?.q75)]
  if (kind === 'number' && span !== null && high > low) {
    const far = (high - low) * 10
    if (span.max > high + far || span.min < low - far) remarks.push('some values are far from the others')
  }
  if (isEstimated) remarks.push('the number of different values is estimated')
  if (isSampled) remarks.push('quartiles come from a sample')
  return remarks
}

async function inspectTexts({ from, rows }: AskTable, texts: readonly ColumnFacts[]) {
  const remarks = new Map<string, readonly string[]>()
  if (texts.length === 0) return remarks
  const asked = texts.flatMap(({ column }) => {
    const name = quoteName(column.name)
    return [
      `count(nullif(trim(${name}::VARCHAR), ''))`,
      `count(try_cast(trim(${name}::VARCHAR) AS DOUBLE))`,
      `count(try_cast(trim(${name}::VARCHAR) AS DATE))`,
      `count(*) FILTER (WHERE ${name}::VARCHAR <> trim(${name}::VARCHAR))`,
      `count(*) FILTER (WHERE trim(${name}::VARCHAR) = '')`,
    ]
  })
  const names = texts.map(({ column }) => quoteName(column.name)).join(', ')
  const named = asked.map((one, at) => `${one} AS v${at}`).join(', ')
  const [row = []] = await rows(`SELECT ${named} FROM (SELECT ${names} FROM ${from} LIMIT ${sampleLimit})`)
  for (const [index, { column }] of texts.entries()) {
    const [filled = 0, numbers = 0, dates = 0, spaced = 0, blank = 0] = row
      .slice(index * 5, index * 5 + 5)
      .map((cell) => Number(cell ?? 0))
    const isMostly = (part: number) => filled > 0 && part >= filled * 0.95
    remarks.set(column.name, [
      ...(isMostly(numbers) ? ['text that looks like numbers'] : isMostly(dates) ? ['text that looks like dates'] : []),
      ...(spaced > 0 ? ['spaces around some values'] : []),
      ...(blank > 0 ? ['some texts are blank, not empty'] : []),
    ])
  }
  return remarks
}

const percent = (share: number): string => `${share > 0.99 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`
