// One move after the other, from what was asked and what came back so far. Nothing is remembered between two moves: the
// conversation says it all, also after a restart.
import { parseJson } from '../../../wire/parse-json.ts'
import type { Found } from './answer-text.ts'
import { composeAnswer } from './compose-answer.ts'
import type { Results } from './describe.ts'
import type { FoundValue } from './filters.ts'
import type { KnownTable } from './known-tables.ts'
import { endsQuery, type Plan, type PlannedCall, planQueries, reasonQueries, runningTotalCall } from './plan-queries.ts'
import { type ReadQuestion, readQuestion } from './read-question.ts'
import type { ColumnRef, Doubt, Reading } from './reading.ts'
import { isRecord, readStepResult } from './step-result.ts'

export interface DoneCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly text: string
  readonly isError: boolean
  /** Which step it is where the result does not say. */
  readonly ordinal: number
}

export interface Situation {
  readonly question: string
  readonly before: string | null
  readonly tables: readonly KnownTable[]
  /** The table that was spoken of so far. */
  readonly current: string | null
  readonly done: readonly DoneCall[]
  /** What the person was asked and answered before, in the whole conversation. */
  readonly answered: readonly DoneCall[]
  /** Names of tools, without what the wire puts before them. */
  readonly offered: ReadonlySet<string>
}

export type Move =
  | { readonly type: 'calls'; readonly text: string; readonly calls: readonly PlannedCall[] }
  | { readonly type: 'ask'; readonly question: string; readonly options: readonly string[] }
  | { readonly type: 'answer'; readonly input: Readonly<Record<string, unknown>> }

export function nextMove(situation: Situation): Move | null {
  const { tables, done, offered } = situation
  const asked = done.findLast(({ tool }) => tool === 'ask_user')
  const chosen = asked === undefined ? [] : [answerIn(asked.text)]
  const values = lookedUp(tables, done)
  const first = readQuestion({ ...situation, chosen, values })
  if (first === null) return null
  const known = earlierAnswer(first, situation)
  const read = known === null ? first : (readQuestion({ ...situation, chosen: [known], values }) ?? first)
  if (read.doubt !== null && asked === undefined && known === null && offered.has('ask_user')) {
    return { type: 'ask', question: doubtText(read.doubt), options: read.doubt.options }
  }
  const looks = offered.has('get_value_distribution') ? pendingLooks(read, done) : []
  if (looks.length > 0) return { type: 'calls', text: 'I look for the names in the question.', calls: looks }
  const caveats = read.names.map((name) => `I found no value ${JSON.stringify(name)} in the columns I looked at.`)
  return follow(read.reading, { ...situation, caveats })
}

const doubtText = ({ options }: Doubt): string => `Which one: ${options.join(' or ')}?`

/** Nobody is asked the same twice. */
function earlierAnswer({ doubt }: ReadQuestion, { answered }: Situation): string | null {
  if (doubt === null) return null
  const same = answered.findLast(({ input, isError }) => !isError && input.question === doubtText(doubt))
  return same === undefined ? null : answerIn(same.text)
}

type Following = Situation & { readonly caveats: readonly string[] }

function follow(reading: Reading, situation: Following): Move {
  const plan = planQueries(offeredPlan(reading, situation.offered))
  const first = pendingOf(plan, situation.done)
  const { name } = reading.source.table
  if (first.length > 0) {
    const ways = first.length === 1 ? 'once' : 'in two ways at once'
    return { type: 'calls', text: `I look at ${name} ${ways}.`, calls: first }
  }
  const main = foundOf(plan.main, situation.done)
  if (main === null && reading.task.type !== 'overview') return recover(reading, situation)
  return main === null ? answer(reading, null, situation) : conclude({ reading, plan, main }, situation)
}

/** A query that failed is not sent again: something simpler is asked of the same table. */
function recover(reading: Reading, situation: Following): Move {
  const simple: Reading = {
    ...reading,
    source: { table: reading.source.table, join: null },
    task: { type: 'overview' },
    filters: [],
  }
  const caveats = [...situation.caveats, 'The query for this failed, so this is only an overview.']
  return follow(simple, { ...situation, caveats })
}

function conclude(
  { reading, plan, main }: { readonly reading: Reading; readonly plan: Plan; readonly main: Found },
  situation: Following,
): Move {
  const more = moreCalls(reading, main, situation.offered)
  const pending = more.filter((call) => doneOf(call, situation.done) === undefined)
  if (pending.length > 0) return { type: 'calls', text: 'I go one step further.', calls: pending }
  const context = plan.context === null ? null : foundOf(plan.context, situation.done)
  const found = more.flatMap((call) => foundOf(call, situation.done) ?? [])
  const ends = endsCall(reading, found[0] ?? main)
  if (ends !== null && doneOf(ends, situation.done) === undefined) {
    return { type: 'calls', text: 'I see only the beginning, so I ask for its ends.', calls: [ends] }
  }
  const seen = ends === null ? null : foundOf(ends, situation.done)
  const isWhole = seen !== null && seen.rows.length === 4
  return answer(reading, { main, context, more: found, ends: isWhole ? seen : null }, situation)
}

/** A browser shows the beginning of what is long: the highest may lie behind it. */
function endsCall({ task }: Reading, drawn: Found): PlannedCall | null {
  const isCut = drawn.rows.length > 0 && drawn.rows.length < drawn.rowCount && drawn.stepId !== null
  return task.type === 'trend' && isCut ? endsQuery(drawn) : null
}

function moreCalls(reading: Reading, main: Found, offered: ReadonlySet<string>): readonly PlannedCall[] {
  const { task } = reading
  if (main.rowCount === 0) return []
  if (task.type === 'trend' && task.isRunningTotal && offered.has('transform_data')) {
    return [runningTotalCall(task.group.label, task.measure.label, main.step)]
  }
  const first = main.rows[0]?.[0]
  return typeof first === 'string' ? reasonQueries(reading, first) : []
}

function answer(reading: Reading, results: Results | null, { done, caveats }: Following): Move {
  const failures = done.filter(({ isError }) => isError).map(({ text }) => text)
  return { type: 'answer', input: composeAnswer({ reading, results, failures, caveats }) }
}

/** Where a tool is not offered, the same by SQL. */
function offeredPlan(reading: Reading, offered: ReadonlySet<string>): Reading {
  const { task } = reading
  const tools = ['get_value_distribution', 'get_column_stats']
  if (task.type !== 'distribution' || tools.every((tool) => offered.has(tool))) return reading
  return { ...reading, task: { type: 'overview' } }
}

const pendingOf = ({ main, context }: Plan, done: readonly DoneCall[]): readonly PlannedCall[] =>
  [context, main].flatMap((call) => (call === null || doneOf(call, done) !== undefined ? [] : [call]))

/** The same tool with the same input: the reason given for it does not matter. */
function doneOf({ tool, input }: PlannedCall, done: readonly DoneCall[]): DoneCall | undefined {
  const key = keyOf(input)
  return done.findLast((call) => call.tool === tool && keyOf(call.input) === key)
}

const keyOf = ({ thought: _, ...input }: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1)))

function foundOf(call: PlannedCall, done: readonly DoneCall[]): Found | null {
  const result = doneOf(call, done)
  if (result === undefined || result.isError) return null
  const read = readStepResult(result.text, call.columns)
  return { ...read, step: read.stepId ?? result.ordinal }
}

const lookLimit = 50

function pendingLooks({ lookUp }: ReadQuestion, done: readonly DoneCall[]): readonly PlannedCall[] {
  return lookUp.map(lookAt).filter((call) => doneOf(call, done) === undefined)
}

const lookAt = ({ name, table }: ColumnRef): PlannedCall => ({
  tool: 'get_value_distribution',
  input: { thought: `Whether ${name} has what the question names`, column: name, table: table.name, limit: lookLimit },
  columns: ['value', 'count'],
})

/** The values of every column that was looked at so far. */
function lookedUp(tables: readonly KnownTable[], done: readonly DoneCall[]): readonly FoundValue[] {
  return done.flatMap(({ tool, input, text, isError }) => {
    if (tool !== 'get_value_distribution' || isError) return []
    const table = tables.find(({ name }) => name === input.table)
    const column = table?.columns.find(({ name }) => name === input.column)
    if (table === undefined || column === undefined) return []
    const ref = { name: column.name, table, column }
    return readStepResult(text, ['value', 'count']).rows.flatMap(([value]) =>
      typeof value === 'string' ? [{ ref, value }] : [],
    )
  })
}

/** As the browser gives it, or the plain words. */
function answerIn(text: string): string {
  const value = parseJson(text)
  return isRecord(value) && typeof value.answer === 'string' ? value.answer : text
}
