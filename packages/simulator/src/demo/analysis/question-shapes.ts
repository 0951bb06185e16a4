// The forms of questions that the simulator answers on any table. The words alone decide the query: nothing is inferred.
import type { KnownColumn, KnownTable } from './known-tables.ts'
import { column, inOrder, type Match, oneOf, type Phrase, pick, tableName, text } from './phrase.ts'
import type { PlannedStep, RefusedPlan } from './plan.ts'

export interface Shape {
  /** The form, as shown to people. */
  readonly words: string
  readonly phrase: Phrase
  readonly plan: (table: KnownTable, match: Match) => ShapePlan | RefusedPlan
}

export interface ShapePlan {
  readonly step: PlannedStep
  readonly caveats: readonly string[]
}

const lead = inOrder(
  text('', 'what is', "what's", 'what are', 'show', 'show me', 'give me', 'list', 'calculate', 'compute'),
  text('', 'the'),
)
const where = oneOf(
  text(''),
  inOrder(text('in', 'of', 'from', 'in table', 'of table', 'in the table', 'of the table'), tableName),
)
const aggregates = {
  sum: 'sum',
  total: 'sum',
  average: 'avg',
  mean: 'avg',
  minimum: 'min',
  min: 'min',
  lowest: 'min',
  smallest: 'min',
  maximum: 'max',
  max: 'max',
  highest: 'max',
  largest: 'max',
  // For dates and times only: the latest amount is not the largest amount.
  earliest: 'earliest',
  latest: 'latest',
}
const aggregate = inOrder(pick(aggregates), text('', 'of', 'of the', 'the'), column)
const units = { day: 'day', month: 'month', quarter: 'quarter', year: 'year' }
const by = text('by', 'per', 'for each', 'by the')
const byColumn = inOrder(by, pick({ '': 'column' }), column)
const byTime = inOrder(by, pick(units), text('of'), column)
const grouped = oneOf(...[byColumn, byTime].flatMap((group) => [inOrder(group, where), inOrder(where, group)]))
const rowCount = oneOf(
  text('how many rows', 'how many rows are', 'how many rows are there', 'count the rows', 'count rows'),
  inOrder(lead, text('number of rows', 'row count')),
)
const numberWords = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const upTo = (most: number) =>
  pick({
    ...Object.fromEntries(Array.from({ length: most }, (_, at) => [String(at + 1), String(at + 1)])),
    ...Object.fromEntries(numberWords.map((word, at) => [word, String(at + 1)])),
  })

export const shapes: readonly Shape[] = [
  {
    words: 'how many rows are in TABLE',
    phrase: oneOf(inOrder(rowCount, where), inOrder(text('how many rows does'), tableName, text('have'))),
    plan: (table) =>
      only({
        sql: `SELECT count(*) AS "rows" FROM ${quoted(table.name)}`,
        title: `The number of rows in ${table.name}`,
        result: 'value',
        columns: ['rows'],
      }),
  },
  {
    words: 'describe TABLE',
    phrase: oneOf(
      inOrder(text('describe', 'describe table', 'describe the table'), tableName),
      inOrder(lead, text('columns'), where),
      inOrder(
        text('which columns', 'what columns'),
        oneOf(inOrder(text('does'), tableName, text('have')), inOrder(text('are'), where)),
      ),
    ),
    plan: (table) =>
      only({
        sql: `DESCRIBE ${quoted(table.name)}`,
        title: `The columns of ${table.name} are ${columnList(table)}`,
        result: 'columns',
      }),
  },
  {
    words: 'show the first N rows of TABLE',
    phrase: inOrder(lead, text('first'), upTo(100), text('rows', 'row'), where),
    plan: (table, { picked: [limit] }) =>
      only({
        sql: `SELECT * FROM ${quoted(table.name)} LIMIT ${limit}`,
        title: `the first rows of ${table.name}`,
        result: 'rows',
      }),
  },
  {
    words: 'sum (or average, minimum, maximum) of COLUMN in TABLE',
    phrase: inOrder(lead, aggregate, where),
    plan: (table, match) =>
      withMeasure(match, ({ sql, label, caveat }) => ({
        step: {
          sql: `SELECT ${sql} AS ${quoted(label)} FROM ${quoted(table.name)}`,
          title: `The ${label} in ${table.name}`,
          result: 'value',
          columns: [label],
        },
        caveats: [caveat],
      })),
  },
  {
    words: 'sum (or average, minimum, maximum) of COLUMN by COLUMN in TABLE, or by month of COLUMN',
    phrase: inOrder(lead, aggregate, grouped),
    plan: (table, match) =>
      withMeasure(match, ({ sql, label, caveat }) => {
        const [, unit = ''] = match.picked
        return groupPlan(table, { group: match.columns[1], unit, measure: sql, label, caveats: [caveat] })
      }),
  },
  {
    words: 'count rows by COLUMN in TABLE, or by month of COLUMN',
    phrase: inOrder(oneOf(rowCount, text('count')), grouped),
    plan: (table, { columns: [group], picked: [unit = ''] }) =>
      groupPlan(table, { group, unit, measure: 'count(*)', label: 'number of rows', caveats: [] }),
  },
  {
    words: 'top N COLUMN by sum of COLUMN in TABLE',
    phrase: inOrder(lead, text('top'), upTo(100), column, text('by', 'by the'), aggregate, where),
    plan: (table, { columns: [group, measured], picked: [limit = '', name = ''] }) =>
      withMeasure({ columns: [measured], picked: [name] }, ({ sql, label, caveat }) => ({
        step: topStep(table, { group, measure: sql, label, limit }),
        caveats: [caveat, `Rows without ${group?.name} are left out. Equal values share a rank.`],
      })),
  },
]

/** At most 50 columns; the step has all of them. */
function columnList({ columns }: KnownTable): string {
  const named = columns.slice(0, 50).map(({ name, type }) => `${name} (${type})`)
  return [...named, ...(columns.length > named.length ? ['and others'] : [])].join(', ')
}

const only = (step: PlannedStep): ShapePlan => ({ step, caveats: [] })

interface Aggregate {
  readonly sql: string
  readonly label: string
  readonly kinds: readonly Kind[]
  readonly needs: string
}

const aggregateRules: Readonly<Record<string, Aggregate>> = {
  sum: { sql: 'sum', label: 'sum', kinds: ['number'], needs: 'numbers' },
  avg: { sql: 'avg', label: 'average', kinds: ['number'], needs: 'numbers' },
  min: { sql: 'min', label: 'minimum', kinds: ['number', 'time'], needs: 'numbers, dates or times' },
  max: { sql: 'max', label: 'maximum', kinds: ['number', 'time'], needs: 'numbers, dates or times' },
  earliest: { sql: 'min', label: 'earliest', kinds: ['time'], needs: 'dates or times' },
  latest: { sql: 'max', label: 'latest', kinds: ['time'], needs: 'dates or times' },
}

interface Measure {
  readonly sql: string
  readonly label: string
  readonly caveat: string
}

interface Measured {
  readonly columns: readonly (KnownColumn | undefined)[]
  readonly picked: readonly string[]
}

function withMeasure<T>(
  { columns: [of], picked: [name = ''] }: Measured,
  plan: (measure: Measure) => T,
): T | RefusedPlan {
  const aggregate = aggregateRules[name]
  if (of === undefined || aggregate === undefined) return { reason: 'The column is missing.' }
  const { sql, label, kinds, needs } = aggregate
  if (!kinds.includes(kindOf(of))) {
    return { reason: `Column ${of.name} has the type ${of.type}: the ${label} needs ${needs}.` }
  }
  return plan({
    sql: `${sql}(${quoted(of.name)})`,
    label: `${label} of ${of.name}`,
    caveat: `Rows without ${of.name} are left out.`,
  })
}

interface Grouped {
  readonly group: KnownColumn | undefined
  /** `column`, or the unit of time. */
  readonly unit: string
  readonly measure: string
  readonly label: string
  readonly caveats: readonly string[]
}

function groupPlan({ name }: KnownTable, { group, unit, measure, label, caveats }: Grouped): ShapePlan | RefusedPlan {
  if (group === undefined) return { reason: 'The column is missing.' }
  const [of, from] = [quoted(group.name), quoted(name)]
  if (unit === 'column') {
    return {
      step: {
        sql: `SELECT ${of}, ${measure} AS ${quoted(label)} FROM ${from} GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1`,
        title: `The ${label} by ${group.name} in ${name}`,
        result: 'groups',
        columns: [group.name, label],
      },
      caveats,
    }
  }
  // The month of a timestamp with a time zone depends on the time zone of the reader.
  if (!/^(DATE|TIMESTAMP(_S|_MS|_NS)?)$/i.test(group.type)) {
    return {
      reason: `Column ${group.name} has the type ${group.type}: the ${unit} needs a date or a timestamp without a time zone.`,
    }
  }
  const time = `date_trunc('${unit}', ${of})::DATE`
  return {
    step: {
      sql: `SELECT ${time} AS ${quoted(unit)}, ${measure} AS ${quoted(label)} FROM ${from} WHERE ${of} IS NOT NULL GROUP BY 1 ORDER BY 1`,
      title: `The ${label} by ${unit} of ${group.name} in ${name}`,
      result: 'times',
      columns: [unit, label],
    },
    caveats: [...caveats, `Rows without ${group.name} are left out.`],
  }
}

interface Top extends Omit<Grouped, 'unit' | 'caveats'> {
  readonly limit: string
}

function topStep({ name }: KnownTable, { group, measure, label, limit }: Top): PlannedStep {
  const of = quoted(group?.name ?? '')
  const rank = `rank() OVER (ORDER BY ${measure} DESC) <= ${limit}`
  return {
    sql: `SELECT ${of}, ${measure} AS ${quoted(label)} FROM ${quoted(name)} WHERE ${of} IS NOT NULL GROUP BY 1 HAVING ${measure} IS NOT NULL QUALIFY ${rank} ORDER BY 2 DESC, 1`,
    title: `Top ${limit} of ${group?.name} by ${label} in ${name}`,
    result: 'groups',
    columns: [group?.name ?? '', label],
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

type Kind = 'number' | 'time' | 'other'

function kindOf({ type }: KnownColumn): Kind {
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|REAL|(DECIMAL|NUMERIC)(\(\d+, ?\d+\))?)$/i.test(type))
    return 'number'
  return /^(DATE|TIME|TIMESTAMP|DATETIME)\b(?!.*\[\])/i.test(type) ? 'time' : 'other'
}
