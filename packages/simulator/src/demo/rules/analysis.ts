// Answers a question about tables in a browser: it calls the queries of a plan and writes an answer from their results.
// The simulator computes nothing: every number in an answer was returned by the browser.
import { isContinueMessage, isRecord, isWakeMessage, parseResults, sqlWriterMark } from '@quarterdeck/protocol'
import type { SimulatedEntry } from '../../replies/read-conversation.ts'
import { callTools, textReply } from '../../replies/reply.ts'
import type { Found } from '../analysis/answer-text.ts'
import { composeAnswer, composeFailure, composeRefusal, refusalText } from '../analysis/compose-answer.ts'
import { knownTables } from '../analysis/known-tables.ts'
import type { Plan } from '../analysis/plan.ts'
import { isRefusal, readQuestion } from '../analysis/read-question.ts'
import { readStepResult } from '../analysis/step-result.ts'
import type { DemoRule, SimulatedConversation } from '../facts/demo-rule.ts'

export const analysis: DemoRule = {
  name: 'analysis',
  reply(conversation) {
    const names = new Map([...conversation.offered.keys()].map((name) => [shortName(name), name]))
    const [queryTool, answerTool] = [names.get('run_query'), names.get('final_answer')]
    if (queryTool === undefined || answerTool === undefined) return null
    const { question, statedPrompts } = askedIn(conversation)
    const tables = knownTables(...statedPrompts, conversation.system)
    const answer = (text: string, input: Readonly<Record<string, unknown>>) =>
      callTools(text, { name: answerTool, input })
    const read = readQuestion(question, tables)
    if (isRefusal(read)) return answer('I cannot answer this question.', composeRefusal(read, tables))
    const done = doneQueries(conversation)
    const pending = read.steps.filter(({ sql }) => !done.has(sql))
    if (pending.length > 0) {
      const calls = pending.map(({ sql, title }) => ({ name: queryTool, input: { thought: title, sql } }))
      return callTools(pending.length === 1 ? 'I run one query.' : `I run ${pending.length} queries.`, ...calls)
    }
    return answer('I have what I need.', answerFrom(read, done))
  },
}

/** Asked for a query without a tool to run it. */
export const sqlWriter: DemoRule = {
  name: 'sql-writer',
  reply({ system, prompt, offered }) {
    if (offered.size > 0 || !system.includes(sqlWriterMark)) return null
    const read = readQuestion(withoutTables(prompt), knownTables(prompt, system))
    if (isRefusal(read)) return textReply(refusalText(read))
    const [step] = read.steps
    return step === undefined
      ? null
      : textReply(`\`\`\`sql\n${step.sql}\n\`\`\`\n\n${step.title}. Written by the simulator, not by a model.`)
  },
}

function answerFrom({ steps, ...plan }: Plan, done: ReadonlyMap<string, DoneQuery>) {
  const found: Found[] = []
  for (const { sql, columns } of steps) {
    const query = done.get(sql)
    if (query === undefined || query.isError) return composeFailure(query?.text ?? '')
    const result = readStepResult(query.text, columns)
    found.push({ ...result, step: result.stepId ?? query.ordinal })
  }
  return composeAnswer({ steps, ...plan }, found)
}

const shortName = (name: string): string => name.split('__').at(-1) ?? name

/** The question alone: a message may list the tables again after it. */
const withoutTables = (text: string): string =>
  text.split(/\n\n(?:The tables are these now:\n|From now on: )|\n<tables>\n/)[0]?.trim() ?? text

/** The engine's own messages after a wake or an interruption are not questions. */
const isQuestion = (entry: SimulatedEntry): entry is Extract<SimulatedEntry, { type: 'prompt' }> =>
  entry.type === 'prompt' && !isWakeMessage(entry.text) && !isContinueMessage(entry.text)

/** The latest question, and all messages with a question, latest first: any of them may list the tables. */
function askedIn({ prompt, entries }: SimulatedConversation) {
  const prompts = entries.flatMap((entry) => (isQuestion(entry) ? [entry.text] : []))
  const statedPrompts = (isWakeMessage(prompt) || prompts.includes(prompt) ? prompts : [...prompts, prompt]).reverse()
  return { question: withoutTables(statedPrompts[0] ?? prompt), statedPrompts }
}

interface DoneQuery {
  readonly text: string
  readonly isError: boolean
  /** The number of its step, for clients that do not send one. */
  readonly ordinal: number
}

/** Queries with a result since the latest question, by their SQL. A wake message may contain results as well. */
function doneQueries({ entries, prompt }: SimulatedConversation): ReadonlyMap<string, DoneQuery> {
  const from = entries.findLastIndex(isQuestion)
  const done = new Map<string, DoneQuery>()
  let ordinal = 0
  for (const [index, entry] of entries.entries()) {
    if (entry.type !== 'call' || shortName(entry.name) !== 'run_query') continue
    ordinal += 1
    if (index > from && entry.result !== null) done.set(String(entry.input.sql), { ...entry.result, ordinal })
  }
  for (const [at, { tool, input, output, isError }] of parseResults(prompt).entries()) {
    if (shortName(tool) !== 'run_query' || !isRecord(input)) continue
    done.set(String(input.sql), { text: output, isError, ordinal: at + 1 })
  }
  return done
}
