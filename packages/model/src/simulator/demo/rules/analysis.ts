// A question about tables in a browser: queries, and an answer from what came back. It works out nothing itself: every
// number is one that the browser returned.
import { isGoOnMessage, isWakeMessage, parseResults, sqlWriterMark } from '@quarterdeck/protocol'
import { parseJson } from '../../../wire/parse-json.ts'
import type { Entry } from '../../conversation.ts'
import { callTools, say } from '../../reply.ts'
import { type KnownTable, knownTables } from '../analysis/known-tables.ts'
import { type DoneCall, nextMove } from '../analysis/next-move.ts'
import { planQueries } from '../analysis/plan-queries.ts'
import { readQuestion } from '../analysis/read-question.ts'
import { isRecord } from '../analysis/step-result.ts'
import type { Conversation, DemoRule } from '../rule.ts'

export const analysis: DemoRule = {
  name: 'analysis',
  reply(conversation) {
    const names = new Map([...conversation.offered.keys()].map((name) => [shortName(name), name]))
    const answerTool = names.get('final_answer')
    if (!names.has('run_query') || answerTool === undefined) return null
    const { question, before, told } = askedIn(conversation)
    const tables = tablesFor(question, knownTables(...told, conversation.system), stepTables(conversation))
    const done = doneCalls(conversation)
    const answered = doneCalls(conversation, -1).filter(({ tool }) => tool === 'ask_user')
    const current = tableSoFar(conversation, tables)
    const move = nextMove({ question, before, tables, current, done, answered, offered: new Set(names.keys()) })
    if (move === null) return null
    switch (move.type) {
      case 'calls':
        return callTools(move.text, ...move.calls.map(({ tool, input }) => ({ name: names.get(tool) ?? tool, input })))
      case 'ask':
        return callTools('Two columns fit.', {
          name: names.get('ask_user') ?? 'ask_user',
          input: { question: move.question, options: move.options },
        })
      case 'answer':
        return callTools('I have what I need.', { name: answerTool, input: move.input })
    }
  },
}

/** Asked for a query and given no tool to run it with. */
export const sqlWriter: DemoRule = {
  name: 'sql-writer',
  reply({ system, prompt, offered }) {
    if (offered.size > 0 || !system.includes(sqlWriterMark)) return null
    const tables = knownTables(prompt, system)
    const question = withoutTables(prompt)
    const read = readQuestion({ question, before: null, tables, current: null, chosen: [], values: [] })
    if (read === null) return null
    const { input } = planQueries(read.reading).main
    if (typeof input.sql !== 'string') return null
    const how = 'I am the simulator: I chose the columns by their names and types.'
    return say(`\`\`\`sql\n${input.sql}\n\`\`\`\n\n${String(input.thought)}. ${how}`)
  },
}

const shortName = (name: string): string => name.split('__').at(-1) ?? name

/** The tables may be told anew with a question. */
const withoutTables = (text: string): string =>
  text.split(/\n\n(?:The tables are these now:\n|From now on: )|\n<tables>\n/)[0]?.trim() ?? text

interface AskedHere {
  readonly question: string
  readonly before: string | null
  /** Whatever people asked, the latest first: tables may stand in it. */
  readonly told: readonly string[]
}

/** What the engine tells after a wake or a break is none: that stands before it. */
const isQuestion = (entry: Entry): entry is Extract<Entry, { type: 'prompt' }> =>
  entry.type === 'prompt' && !isWakeMessage(entry.text) && !isGoOnMessage(entry.text)

function askedIn({ prompt, entries }: Conversation): AskedHere {
  const prompts = entries.flatMap((entry) => (isQuestion(entry) ? [entry.text] : []))
  const told = (isWakeMessage(prompt) || prompts.includes(prompt) ? prompts : [...prompts, prompt]).reverse()
  const [question = prompt, before] = told.map(withoutTables)
  return { question, before: before ?? null, told }
}

const steps = new Set(['run_query', 'get_column_stats', 'get_value_distribution', 'transform_data', 'sample_rows'])

/** Since the question was asked, those that came while nobody ran included. */
function doneCalls(
  { entries, prompt }: Conversation,
  from: number = entries.findLastIndex(isQuestion),
): readonly DoneCall[] {
  const called = entries.flatMap((entry, index) => (entry.type === 'call' ? [{ entry, index }] : []))
  const numbered = called.map(({ entry, index }, at) => {
    const before = called.slice(0, at).filter((other) => steps.has(shortName(other.entry.name))).length
    return { entry, index, ordinal: before + 1 }
  })
  const done = numbered.flatMap(({ entry, index, ordinal }) =>
    index > from && entry.result !== null
      ? [{ tool: shortName(entry.name), input: entry.input, ...entry.result, ordinal }]
      : [],
  )
  const told = parseResults(prompt).map(({ tool, input, output, isError }, at) => ({
    ...{ tool: shortName(tool), input: isRecord(input) ? input : {}, text: output, isError, ordinal: at + 1 },
  }))
  return [...done, ...told]
}

/** "The total of step 3" is about that step alone. */
function tablesFor(question: string, tables: readonly KnownTable[], steps: readonly KnownTable[]) {
  const named = /\bstep[ _](\d{1,3})\b/i.exec(question)?.[1]
  const step = steps.findLast(({ name }) => name === `step_${named}`)
  return step === undefined ? tables : [step]
}

/** The table that the last call before this question read. */
function tableSoFar({ entries }: Conversation, tables: readonly KnownTable[]): string | null {
  const read = entries.slice(0, entries.findLastIndex(isQuestion)).flatMap((entry) => {
    if (entry.type !== 'call') return []
    const { sql, table } = entry.input
    const [, named] = /\bFROM "((?:[^"]|"")+)"/.exec(String(sql ?? '')) ?? []
    return [typeof table === 'string' ? table : named?.replaceAll('""', '"')]
  })
  return read.findLast((name) => tables.some((table) => table.name === name)) ?? null
}

/** Results so far are tables too. */
function stepTables({ entries }: Conversation): readonly KnownTable[] {
  return entries.flatMap((entry) => {
    if (entry.type !== 'call' || entry.result === null || entry.result.isError) return []
    const value = parseJson(entry.result.text)
    if (!isRecord(value) || typeof value.stepId !== 'number' || !Array.isArray(value.columns)) return []
    const columns = value.columns.flatMap((one: unknown) =>
      isRecord(one) && typeof one.name === 'string' && typeof one.type === 'string'
        ? [{ name: one.name, type: one.type }]
        : [],
    )
    const rowCount = typeof value.rowCount === 'number' ? value.rowCount : 0
    return columns.length === 0 ? [] : [{ name: `step_${value.stepId}`, rowCount, columns }]
  })
}
