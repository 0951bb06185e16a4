// Questions worth asking next that the same rules can answer.
import { wordsIn } from '../../words.ts'
import { groupRank, isGroup, isMeasure, kindOf, likelyMeasure } from './column-kind.ts'
import type { KnownColumn } from './known-tables.ts'
import { spoken } from './measures.ts'
import type { Reading } from './reading.ts'

export function followUps({ source: { table }, task }: Reading): readonly string[] {
  const { name, rowCount } = table
  const columns = table.columns.filter(({ summary }) => (summary?.distinct ?? 2) > 1)
  const measures = columns.filter(isMeasure)
  const value = likelyMeasure(columns)
  const date = columns.find((column) => kindOf(column) === 'date' && !isOnceInALife(column))
  const used = task.type === 'groups' ? task.group.label : null
  const groups = columns
    .filter((column) => isGroup(column) && groupRank(column) < 3 && column.name !== used && gathers(column, rowCount))
    .sort((one, other) => groupRank(one) - groupRank(other))
  const what = value === undefined ? `the number of ${spoken(name)}` : `the total ${value.name}`
  const gaps = table.columns.some(({ summary }) => (summary?.nullShare ?? 0) > 0)
  const [first, second] = measures
  return [
    ...(date !== undefined && task.type !== 'trend' ? [`How did ${what} change by month?`] : []),
    ...(groups[0] === undefined ? [] : [`Which ${groups[0].name} has the most ${spoken(name)}?`]),
    ...(groups[1] === undefined || value === undefined
      ? []
      : [`What is the average ${value.name} by ${groups[1].name}?`]),
    ...(gaps && task.type !== 'missing' ? [`Which values are missing in ${name}?`] : []),
    ...(task.type !== 'distribution' && value !== undefined ? [`What is the distribution of ${value.name}?`] : []),
    ...(first !== undefined && second !== undefined ? [`Does ${second.name} rise with ${first.name}?`] : []),
    `Are there duplicate rows in ${name}?`,
  ].slice(0, 3)
}

/** A group with hardly more than a row, or a day written as text, is the most of nothing. */
const gathers = ({ name, summary }: KnownColumn, rowCount: number | undefined): boolean =>
  !/\b(date|datum|day|tag|time|month|monat)\b/.test(wordsIn(name).join(' ')) &&
  (summary?.distinct === undefined || rowCount === undefined || summary.distinct <= 0.8 * rowCount)

/** What is known of something now has no course along the day it began. */
const isOnceInALife = ({ name }: KnownColumn): boolean =>
  /\b(hired?|birth|born|joined|founded|opened|registered|since)\b/.test(wordsIn(name).join(' '))
