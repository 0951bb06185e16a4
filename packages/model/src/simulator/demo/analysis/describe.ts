// What the rows say, in a few sentences, by task.
import {
  cellSaid,
  type Found,
  labelOf,
  numberOf,
  numberText,
  rowsSaid,
  rowsText,
  type Said,
  sentence,
  timeLabel,
} from './answer-text.ts'
import { kindOf } from './column-kind.ts'
import { spoken } from './measures.ts'
import { filledLabel, matchedLabel, mostTimes, rowsLabel, saidFilters } from './plan-queries.ts'
import type { ListTask, Reading, Task } from './reading.ts'

export interface Results {
  readonly main: Found
  readonly context: Found | null
  /** The running total, or the looks for reasons. */
  readonly more: readonly Found[]
  /** First, last, highest and lowest of what was drawn, where not all of it was seen. */
  readonly ends: Found | null
}

type Part = string | Said

export function describe({ source, task, filters }: Reading, results: Results): Said {
  const { main, context } = results
  const { name } = source.table
  const about = saidFilters(filters)
  switch (task.type) {
    case 'rows':
      return context === null
        ? sentence([`${name} has `, rowsSaid(main, [0, 0]), '.'])
        : sentence([
            ...[isOne(main) ? 'There is ' : 'There are ', rowsSaid(main, [0, 0])],
            ` ${filters.map(({ words }) => words).join(', ')}, of `,
            ...[cellSaid(context, [0, 0]), ` in ${name}.`],
          ])
    case 'list':
      return listSaid(task, { name, about }, results)
    case 'values':
      return sentence([...valuesSaid(main, task), `${about}.`])
    case 'groups':
      return groupsSaid(task, about, results)
    case 'trend':
      return trendSaid(task, about, results)
    case 'missing':
      return missingSaid(name, results)
    case 'duplicates':
      return sentence([
        ...[cellSaid(main, [0, 1]), ' of the ', rowsSaid(main, [0, 0]), ` of ${name} `],
        isOne(main, 1) || isOne(main) ? 'repeats ' : 'repeat ',
        task.column === null ? 'an earlier row.' : `a ${task.column.name} of an earlier one.`,
      ])
    case 'distribution':
      return distributionSaid(task.column.name, results)
    case 'correlation':
      return correlationSaid(task, main)
    case 'overview':
      return overviewSaid(name, results)
  }
}

const isOne = (found: Found, column = 0): boolean => numberOf(found.rows[0]?.[column]) === 1

function valuesSaid(main: Found, { measures }: Extract<Task, { type: 'values' }>): readonly Part[] {
  return measures.flatMap(({ label, isPercent, isCount }, index) => {
    const value = cellSaid(main, [0, index], isPercent === true ? ' %' : '')
    if (isCount === true && index === 0 && isOne(main)) return [`The number of ${label} is `, value]
    if (isCount === true) return [index === 0 ? 'There are ' : ', which is ', value, ` ${label}`]
    const joint = index === 0 ? 'The ' : index === measures.length - 1 ? ' and the ' : ', the '
    return [joint, `${label} is `, value]
  })
}

/** What orders the rows, or how many there are; where none was shown, what may be told of them. */
export function listSaid(
  { order, from }: ListTask,
  { name, about }: { readonly name: string; readonly about: string },
  { main, context }: Results,
): Said {
  if (main.rows.length === 0) {
    const [, label = ''] = context?.columns ?? []
    const told = context === null ? [] : [`${name} has `, rowsSaid(context, [0, 0]), `${about}.`]
    const end = context === null || label === '' ? [] : [` The ${label} is `, cellSaid(context, [0, 1]), '.']
    return sentence([...told, ...end, ` I was not shown single rows: step ${main.step} has them.`])
  }
  const { rowCount } = main
  if (order === null) {
    const all = numberOf(context?.rows[0]?.[0])
    const isAll = all !== null && all <= rowCount
    const which = isAll ? (rowCount === 1 ? 'the only' : 'all') : `the ${from}`
    const some = rowCount === 1 ? 'row' : rowsText(rowCount)
    const rest = isAll || context === null ? ['.'] : [', of ', cellSaid(context, [0, 0]), '.']
    return sentence([`Step ${main.step} has ${which} ${some} of ${name}${about}`, ...rest])
  }
  const column = main.columns.indexOf(order.ref.name)
  const values = main.rows.slice(0, mostSaid).map((_, row) => cellSaid(main, [row, column]))
  const isDate = kindOf(order.ref.column) === 'date'
  const [high, low] = isDate ? ['latest', 'earliest'] : ['highest', 'lowest']
  const end = `${order.direction === 'down' ? high : low} ${order.ref.name} of ${name}`
  if (values.length === 1) return sentence([`The ${end} is `, values[0] ?? '', `${about}.`])
  const count = values.length < rowCount ? `first ${values.length}` : String(values.length)
  const parts = values.flatMap((value, at) => [at === 0 ? '' : at === values.length - 1 ? ' and ' : ', ', value])
  return sentence([`The ${count} rows with the ${end} have `, ...parts, `${about}.`])
}

/** More of them nobody reads in a sentence. */
const mostSaid = 10

/** A number in the first column is a name: it is said as it stands. */
function nameSaid(found: Found, row: number, unit?: string): Said {
  const value = found.rows[row]?.[0] ?? null
  if (unit !== undefined) return { text: timeLabel(value, unit), claims: [] }
  if (typeof value !== 'number') return { text: labelOf(value), claims: [] }
  const text = String(value)
  return { text, claims: [{ text, stepId: found.step, column: found.columns[0] ?? '', row, value }] }
}

function groupsSaid(task: Extract<Task, { type: 'groups' }>, about: string, { main, more }: Results): Said {
  const { measure, order, group } = task
  const suffix = measure.isPercent === true ? ' %' : ''
  const value = (row: number) => cellSaid(main, [row, 1], suffix)
  if (group.order !== undefined) {
    const [high, low] = ends(main)
    return sentence([
      ...[`By ${group.label}, the ${measure.label} is highest at `, nameSaid(main, high), ' (', value(high)],
      ...['), and lowest at ', nameSaid(main, low), ' (', value(low), `)${about}.`],
    ])
  }
  const said = task.limit <= mostSaid ? task.limit : 3
  const rest = main.rows.flatMap((_, row) => (row > 0 && row < said ? [row] : []))
  const named = (row: number) => nameSaid(main, row, group.unit)
  const isEnd = /^(?:highest|lowest) /.test(measure.label)
  const lead = isEnd
    ? ` has the ${measure.label}, `
    : ` is ${order === 'up' ? 'lowest' : 'highest'} by ${measure.label}, with `
  return sentence([
    ...[named(0), lead, value(0)],
    ...rest.flatMap((row, index) => [jointOf(index, rest.length), named(row), ' (', value(row), ')']),
    `${about}.`,
    ...more.filter(({ rows }) => rows.length > 1).flatMap((found) => reasonSaid(found, main, suffix)),
  ])
}

const jointOf = (index: number, count: number): string =>
  index === 0 ? '; then ' : index === count - 1 ? ' and ' : ', '

/** Where one value stands out among the rows of the first group. */
function reasonSaid(found: Found, main: Found, suffix: string): readonly Part[] {
  const [column = ''] = found.columns
  return [
    ...[
      ` In ${labelOf(main.rows[0]?.[0])}, by ${column}: `,
      nameSaid(found, 0),
      ' (',
      cellSaid(found, [0, 1], suffix),
      ')',
    ],
    ...[', then ', nameSaid(found, 1), ' (', cellSaid(found, [1, 1], suffix), ').'],
  ]
}

function trendSaid(task: Extract<Task, { type: 'trend' }>, about: string, { main, more, ends: seen }: Results): Said {
  const { measure, unit } = task
  const found = seen ?? more[0] ?? main
  const suffix = measure.isPercent === true ? ' %' : ''
  const at = (row: number) => timeLabel(found.rows[row]?.[0], unit)
  const value = (row: number) => cellSaid(found, [row, 1], suffix)
  const rows = found.rows.flatMap((row, index) => (row[0] === null ? [] : [index]))
  const [first = 0, last = 0] = seen === null ? [rows[0], rows.at(-1)] : [0, 1]
  const label = more.length > 0 ? `running total of ${measure.label}` : measure.label
  if (rows.length === 1)
    return sentence([`There is one ${unit} only, ${at(first)}, with `, value(first), ` (${label})${about}.`])
  const [high, low] = seen === null ? ends(found) : [2, 3]
  if (task.order !== null && more.length === 0) {
    const [best, other] = task.order === 'down' ? [high, low] : [low, high]
    const [is, was] = task.order === 'down' ? ['highest', 'lowest'] : ['lowest', 'highest']
    return sentence([
      ...[`The ${label} was ${is} in ${at(best)} (`, value(best), `) and ${was} in ${at(other)} (`],
      ...[value(other), `)${about}.`],
    ])
  }
  return sentence([
    ...[`The ${label} went from `, value(first), ` in ${at(first)} to `, value(last), ` in ${at(last)}${about}.`],
    ...(more.length > 0
      ? []
      : [` It was highest in ${at(high)} (`, value(high), `) and lowest in ${at(low)} (`, value(low), ').']),
  ])
}

/** The rows with the largest and the smallest number, of those that have a name. */
function ends({ rows }: Found): readonly [high: number, low: number] {
  const known = rows.flatMap((row, index) => {
    const number = numberOf(row[1])
    return number === null || row[0] === null ? [] : [{ index, number }]
  })
  const sorted = [...known].sort((one, other) => other.number - one.number)
  return [sorted[0]?.index ?? 0, sorted.at(-1)?.index ?? 0]
}

function missingSaid(name: string, { main, context }: Results): Said {
  const gaps = main.rows.flatMap((row, index) => ((numberOf(row[1]) ?? 0) > 0 ? [index] : [])).slice(0, 3)
  if (gaps.length === 0) return sentence([`No values are missing in ${name}.`])
  const parts = gaps.flatMap((row, index) => [
    index === 0 ? '' : ', ',
    ...[`${labelOf(main.rows[row]?.[0])} (`, cellSaid(main, [row, 1]), ', ', cellSaid(main, [row, 2], ' %'), ')'],
  ])
  const isTimed = context !== null && context.columns[0] !== rowsLabel && context.rows.length > 0
  if (!isTimed) return sentence([`Values are missing in ${name}: `, ...parts, '.'])
  const [high] = ends(context)
  const when = timeLabel(context.rows[high]?.[0], context.columns[0] ?? 'day')
  return sentence([
    `Values are missing in ${name}: `,
    ...parts,
    `. Most are in ${when} (`,
    cellSaid(context, [high, 1]),
    ').',
  ])
}

function distributionSaid(name: string, { main, context }: Results): Said {
  if (main.columns[0] === 'value') {
    const [first = 0, second] = main.rows.flatMap(([value], row) => (value === null ? [] : [row]))
    const rest = second === undefined ? [] : [', then ', nameSaid(main, second), ' (', cellSaid(main, [second, 1]), ')']
    const lead = [nameSaid(main, first), ` is the most frequent ${name}, in `, rowsSaid(main, [first, 1])]
    return sentence([...lead, ...rest, '.'])
  }
  const [high] = ends(main)
  const stat = (label: string): Said | null => {
    const column = context?.columns.indexOf(label) ?? -1
    return context === null || column < 0 || context.rows.length === 0 ? null : cellSaid(context, [0, column])
  }
  const [least, most, median] = [stat('min'), stat('max'), stat('median')]
  return sentence([
    ...(least !== null && most !== null ? [`${name} lies between `, least, ' and ', most] : [`${name} is spread`]),
    ...(median === null ? ['.'] : [', with half of it below ', median, '.']),
    ...[' The fullest part begins at ', cellSaid(main, [high, 0]), ' and has ', rowsSaid(main, [high, 1]), '.'],
  ])
}

function correlationSaid({ x, y }: Extract<Task, { type: 'correlation' }>, main: Found): Said {
  const value = numberOf(main.rows[0]?.[0])
  if (value === null) return sentence([`${y.name} and ${x.name} cannot be compared: one of them does not vary.`])
  const size = Math.abs(value)
  const words = size > 0.7 ? 'strongly' : size > 0.4 ? 'clearly' : size > 0.15 ? 'a little' : null
  const how =
    words === null
      ? `${y.name} does not go with ${x.name}`
      : value > 0
        ? `${y.name} rises ${words} with ${x.name}`
        : `${y.name} falls ${words} as ${x.name} rises`
  return sentence([`${how}: the correlation is `, cellSaid(main, [0, 0]), ' over ', cellSaid(main, [0, 1]), ' pairs.'])
}

function overviewSaid(name: string, { main, context }: Results): Said {
  const size: readonly Part[] =
    context !== null && context.columns[0] === rowsLabel && context.rows.length > 0
      ? [`${name} has `, rowsSaid(context, [0, 0]), '. ']
      : []
  const [, label = ''] = main.columns
  if (main.columns[0] === 'column')
    return sentence([...size, missingSaid(name, { main, context: null, more: [], ends: null })])
  if (main.columns.length === 3) {
    const labels = main.columns.map((column, index) =>
      sentence([`${index === 0 ? 'The' : ' The'} ${column} is `, cellSaid(main, [0, index]), '.']),
    )
    return sentence([...size, ...labels])
  }
  return sentence([...size, nameSaid(main, 0), ' comes first, with ', cellSaid(main, [0, 1]), ` (${label}).`])
}

/** What the person should know about the rows behind the answer. */
export function rowCaveats({ source, task }: Reading, { main, context }: Results): readonly string[] {
  const cell = (label: string) => {
    const column = context?.columns.indexOf(label) ?? -1
    return column < 0 ? null : numberOf(context?.rows[0]?.[column])
  }
  const [all, filled, matched] = [cell(rowsLabel), cell(filledLabel), cell(matchedLabel)]
  const caveats: string[] = []
  if (all !== null && filled !== null && filled < all) {
    const [have, are] = all - filled === 1 ? ['has', 'is'] : ['have', 'are']
    caveats.push(`${numberText(all - filled)} of ${rowsText(all)} ${have} no value there and ${are} left out.`)
  }
  if (all !== null && matched !== null && matched < all && source.join !== null) {
    const [have, are] = all - matched === 1 ? ['has', 'is'] : ['have', 'are']
    caveats.push(
      `${rowsText(all - matched)} of ${spoken(source.table.name)} ${have} no match in ${source.join.table.name} and ${are} left out.`,
    )
  }
  if (task.type === 'groups' && main.rowCount >= task.limit) caveats.push(`Only the first ${task.limit} are shown.`)
  if (task.type === 'trend' && main.rowCount >= mostTimes)
    caveats.push(`Only the first ${numberText(mostTimes)} are drawn.`)
  if (task.type === 'trend' && main.rows.length > 1)
    caveats.push(`The first and the last ${task.unit} may not be complete.`)
  if (task.type === 'correlation') caveats.push('That two things go together does not say that one makes the other.')
  if (main.note !== null) caveats.push(main.note)
  return caveats
}
