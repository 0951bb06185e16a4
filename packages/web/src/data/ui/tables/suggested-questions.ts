// Suggests questions for the tables by rules: nothing is sent.
import { type Column, kindOf } from '../../domain/cells.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import type { ColumnProfile, JoinSuggestion, TableProfile } from '../../domain/table-profile.ts'

const most = 5

/** Three to five, best first; fewer if the tables offer little. */
export function suggestedQuestions(
  tables: readonly ImportedTable[],
  joins: readonly JoinSuggestion[] = [],
  profiles: readonly TableProfile[] = [],
): readonly string[] {
  const filled = tables
    .filter(({ rowCount }) => rowCount > 0)
    .map((table) =>
      readTable(
        table,
        profiles.find((profile) => profile.table === table.name),
      ),
    )
  const offered = [...joins.flatMap((join) => acrossTables(filled, join)), ...zip(filled.map(questionsOf))]
  return [...new Set(offered)].slice(0, most)
}

interface ReadTable {
  readonly name: string
  readonly measures: readonly string[]
  readonly groups: readonly string[]
  readonly dates: readonly string[]
}

/** Locked columns are not mentioned, because a question is sent. */
function readTable({ name, columns, neverSent, rowCount }: ImportedTable, profile?: TableProfile): ReadTable {
  const known = (column: Column) => profile?.columns.find((one) => one.column.name === column.name)
  const open = columns.filter((column) => !neverSent.includes(column.name) && differs(known(column)))
  const gathers = (column: Column) => (known(column)?.distinct ?? 0) <= mostGroups * rowCount
  const named = (test: (column: Column) => boolean) => open.filter(test).map((column) => column.name)
  return {
    name,
    measures: named((column) => kindOf(column) === 'number' && !isKey(column.name) && !isTimePart(column.name)),
    groups: sortedGroups(
      named((column) => ['text', 'yes-no'].includes(kindOf(column)) && !isKey(column.name) && gathers(column)),
    ),
    dates: named((column) => kindOf(column) === 'date'),
  }
}

/** In forms that the simulator can answer: packages/simulator/src/demo/analysis/question-shapes.ts. */
function questionsOf({ name, measures, groups, dates }: ReadTable): readonly string[] {
  const [measure] = measures
  const [group] = groups
  const course = dates.find((one) => !isBirthDate(one))
  const table = spoken(name)
  const questions: string[] = []
  if (course !== undefined) {
    const what = measure === undefined ? 'number of rows' : `average ${spoken(measure)}`
    questions.push(`What is the ${what} by month of ${spoken(course)} in ${table}?`)
  }
  if (group !== undefined && measure !== undefined) {
    questions.push(`What is the average ${spoken(measure)} by ${spoken(group)} in ${table}?`)
  }
  if (group !== undefined) questions.push(`How many rows are there for each ${spoken(group)} in ${table}?`)
  if (measure !== undefined) questions.push(`What is the highest ${spoken(measure)} in ${table}?`)
  if (questions.length === 0) questions.push(`How many rows are in ${table}?`)
  return questions
}

/** The simulator can answer this question only for the sample of deliveries. */
function acrossTables(tables: readonly ReadTable[], { left, right }: JoinSuggestion): readonly string[] {
  const [one, other] = [left, right].map(({ table }) => tables.find(({ name }) => name === table))
  const [measure, group] = [one?.measures[0], other?.groups[0]]
  if (one === undefined || other === undefined || group === undefined) return []
  const what = measure === undefined ? 'number of rows' : `average ${spoken(measure)}`
  return [`What is the ${what} in ${spoken(one.name)} for each ${spoken(group)} of ${spoken(other.name)}?`]
}

/** A column with one value is useless. */
const differs = (profile: ColumnProfile | undefined): boolean => profile === undefined || profile.distinct > 1

/** Share of the rows: above it, groups have hardly more than one row. */
const mostGroups = 0.8

/** Attributes of the present have no trend over the start date. */
const isBirthDate = (name: string): boolean =>
  /hire|birth|born|joined|founded|opened|signed.?up|registered|since/i.test(name)

/** Ids are neither counted nor grouped by. */
const isKey = (name: string): boolean =>
  /(^|[_\s-])(id|uuid|guid|key|code|nr|no|zip|postcode)$/i.test(name) || /[a-z]I[dD]$/.test(name)

/** A number that cannot be summed. */
const isTimePart = (name: string): boolean => /(^|[_\s-])(year|month|week|day|hour|minute|quarter)$/i.test(name)

/** Category columns come before free text and addresses of people. */
function sortedGroups(names: readonly string[]): readonly string[] {
  const rank = (name: string): number => {
    if (/e-?mail|phone|url|address|comment|note|description|text|name$/i.test(name)) return 2
    if (/(^|[_\s-])(date|datum|day|tag|time|month|monat|year|jahr)$/i.test(name)) return 2
    return /region|country|state|city|type|kind|category|status|carrier|channel|segment|product|team/i.test(name)
      ? 0
      : 1
  }
  return [...names].filter((name) => rank(name) < 2).sort((one, other) => rank(one) - rank(other))
}

const spoken = (name: string): string => name.replaceAll('_', ' ').replace(/\s+/g, ' ').trim()

/** The first of each table, then the second of each. */
function zip(lists: readonly (readonly string[])[]): readonly string[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat()
}
