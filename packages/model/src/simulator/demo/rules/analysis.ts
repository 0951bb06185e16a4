// A question about tables in a browser: two queries at once, and an answer from what came back. It works out nothing
// itself: every number is one that the browser returned.
import { isWakeMessage, parseResults, sqlWriterMark } from '@quarterdeck/protocol'
import { callsOfTurn } from '../../conversation.ts'
import { callTools, type Reply, say } from '../../reply.ts'
import { knownTables } from '../analysis/known-tables.ts'
import { type AnalysisPlan, planQueries } from '../analysis/plan-queries.ts'
import { readRows } from '../analysis/read-rows.ts'
import type { Conversation, DemoRule } from '../rule.ts'

export const analysis: DemoRule = {
  name: 'analysis',
  reply(conversation) {
    const queryTool = toolNamed(conversation, 'run_query')
    const answerTool = toolNamed(conversation, 'final_answer')
    if (queryTool === undefined || answerTool === undefined) return null
    const question = questionOf(conversation)
    const plan = planQueries(knownTables(question, conversation.system), question)
    if (plan === null) return null
    const results = resultsOf(conversation, queryTool)
    if (results.length === 0) {
      const looks = [plan.count, plan.look].map(({ thought, sql }) => ({ name: queryTool, input: { thought, sql } }))
      return callTools(`I look at ${plan.table.name} in two ways at once.`, ...looks)
    }
    return answered(plan, results, answerTool)
  },
}

/** Asked for a query and given no tool to run it with. */
export const sqlWriter: DemoRule = {
  name: 'sql-writer',
  reply({ system, prompt, offered }) {
    if (offered.size > 0 || !system.includes(sqlWriterMark)) return null
    const plan = planQueries(knownTables(prompt, system), prompt)
    if (plan === null) return null
    const isCount = /\b(?:how many|count|number of)\b/i.test(prompt)
    const { sql, thought } = isCount ? plan.count : plan.look
    return say(
      `\`\`\`sql\n${sql}\n\`\`\`\n\n${thought}. I am the simulator: I chose the columns by their names and types.`,
    )
  },
}

const toolNamed = ({ offered }: Conversation, name: string): string | undefined =>
  [...offered.keys()].find((each) => each === name || each.endsWith(`__${name}`))

/** What the engine tells after a wake is no question: that stands before it. */
function questionOf({ prompt, entries }: Conversation): string {
  if (!isWakeMessage(prompt)) return prompt
  const asked = entries.findLast((entry) => entry.type === 'prompt' && !isWakeMessage(entry.text))
  return asked?.type === 'prompt' ? asked.text : prompt
}

interface QueryResult {
  readonly sql: string
  readonly text: string
  readonly isError: boolean
}

function resultsOf(conversation: Conversation, queryTool: string): readonly QueryResult[] {
  const told = parseResults(conversation.prompt).map(({ input, output, isError }) => ({
    ...{ sql: sqlIn(input), text: output, isError },
  }))
  const called = callsOfTurn(conversation).flatMap(({ name, input, result }) =>
    name === queryTool && result !== null ? [{ sql: sqlIn(input), ...result }] : [],
  )
  return [...told, ...called]
}

const sqlIn = (input: unknown): string =>
  typeof input === 'object' && input !== null && 'sql' in input ? String(input.sql) : ''

function answered({ table, count, look, axes }: AnalysisPlan, results: readonly QueryResult[], tool: string): Reply {
  const resultOf = ({ sql }: { readonly sql: string }) => results.findLast((result) => result.sql === sql)
  const rowsOf = (query: { readonly sql: string }) => {
    const result = resultOf(query)
    return result === undefined || result.isError ? [] : readRows(result.text)
  }
  const total = rowsOf(count)[0]?.[0]
  const [first] = rowsOf(look)
  const sentences = [
    total === undefined ? null : `${table.name} has ${String(total)} rows.`,
    first === undefined || axes === null
      ? null
      : `${String(first[0])} comes first, with ${String(first[1])} (${axes.y}).`,
    first !== undefined && axes === null ? `${look.thought}: ${first.map(String).join(', ')}.` : null,
  ].filter((sentence) => sentence !== null)
  const failures = results.filter(({ isError }) => isError).map(({ text }) => `A query failed: ${text.slice(0, 300)}`)
  const caveats = [
    ...failures,
    'The simulator chose the columns by their names and types; it did not understand the question.',
  ]
  const isDrawn = axes !== null && first !== undefined
  return callTools('I have what I need.', {
    name: tool,
    input: {
      answer: sentences.join(' ') || 'I could not find out: no query came back with rows.',
      chartType: isDrawn ? 'bar' : 'table',
      ...(isDrawn ? { xAxis: axes.x, yAxis: axes.y, sourceStep: 2 } : {}),
      caveats,
    },
  })
}
