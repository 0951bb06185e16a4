import { formatResult, formatTableList, sqlWriterMark } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { readConversation } from '../../replies/read-conversation.ts'
import { respondAsDemo } from '../respond-as-demo.ts'

const columns = [
  { name: 'city', type: 'VARCHAR' },
  { name: 'amount', type: 'DOUBLE' },
  { name: 'sold_on', type: 'DATE' },
]
const tableList = (table: object) => formatTableList([JSON.stringify(table)])
const system = `You analyse.\n${tableList({ name: 'sales', rowCount: 3, columns })}`
const tools = ['run_query', 'get_column_stats', 'ask_user', 'final_answer'].map((name) => ({
  name: `mcp__client__${name}`,
}))
const question = 'What is the sum of amount by city in sales?'
const sql = 'SELECT "city", sum("amount") AS "sum of amount" FROM "sales" GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1'
const refused = 'The simulator cannot answer this question. With a provider key a model would.'

function reply(messages: readonly object[], more: object = {}) {
  const request = { model: 'm', max_tokens: 9, system, tools, messages, ...more }
  const answer = respondAsDemo(readConversation(request as Parameters<typeof readConversation>[0]))
  if (answer.type !== 'reply') throw new Error(answer.message)
  return answer.reply
}

const asked = (content: string) => ({ role: 'user', content })
const called = (query: string) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id: query, name: 'mcp__client__run_query', input: { thought: 't', sql: query } }],
})
const returned = (query: string, result: object | string) => ({
  role: 'user',
  content: [
    {
      type: 'tool_result',
      tool_use_id: query,
      is_error: typeof result === 'string',
      content: typeof result === 'string' ? result : JSON.stringify(result),
    },
  ],
})
const answerTo = (asking: string, query: string, result: object | string) => {
  const [call] = reply([asked(asking), called(query), returned(query, result)]).tools ?? []
  expect(call?.name).toBe('mcp__client__final_answer')
  return call?.input ?? {}
}
const result = (rows: readonly object[], more: object = {}) => ({
  stepId: 4,
  rowCount: rows.length,
  rows,
  columns: Object.keys(rows[0] ?? {}).map((name) => ({ name, type: 'VARCHAR' })),
  ...more,
})

describe('the demo of an analysis', () => {
  it('runs the query of the question', () => {
    expect(reply([asked(question)]).tools).toEqual([
      { name: 'mcp__client__run_query', input: { thought: 'The sum of amount by city in sales', sql } },
    ])
  })

  it('answers with the numbers that came back, each with its cell', () => {
    const rows = [
      { city: 'Oslo', 'sum of amount': 1234.5 },
      { city: null, 'sum of amount': 80 },
    ]
    expect(answerTo(question, sql, result(rows))).toMatchObject({
      answer: 'The sum of amount by city in sales: Oslo (1,234.5), (empty) (80).',
      chartType: 'bar',
      xAxis: 'city',
      yAxis: 'sum of amount',
      sourceStep: 4,
      claims: [
        { text: '1,234.5', stepId: 4, column: 'sum of amount', row: 0, value: 1234.5 },
        { text: '80', stepId: 4, column: 'sum of amount', row: 1, value: 80 },
      ],
      caveats: ['Rows without amount are left out.', 'Answered by the fixed rules of the simulator, not by a model.'],
    })
  })

  it('works with a client that sends lists of cells and no step numbers', () => {
    expect(answerTo(question, sql, { rows: [['Oslo', 12]] })).toMatchObject({
      answer: 'The sum of amount by city in sales: Oslo (12).',
      xAxis: 'city',
      sourceStep: 1,
    })
  })

  it('writes whole numbers in full, however long they are', () => {
    const query = 'SELECT sum("amount") AS "sum of amount" FROM "sales"'
    const textReply = (value: unknown) => answerTo('Sum of amount', query, result([{ 'sum of amount': value }])).answer
    expect(textReply(9007199254740991)).toBe('The sum of amount in sales is 9,007,199,254,740,991.')
    expect(textReply('170141183460469231731687303715884105727')).toContain(
      '170,141,183,460,469,231,731,687,303,715,884,105,727',
    )
    expect(textReply(0.1 + 0.2)).toBe('The sum of amount in sales is 0.3.')
    expect(textReply(null)).toBe('The sum of amount in sales: there is no value.')
  })

  it('names the highest and the lowest month only if all rows were sent', () => {
    const query = `SELECT date_trunc('month', "sold_on")::DATE AS "month", count(*) AS "number of rows" FROM "sales" WHERE "sold_on" IS NOT NULL GROUP BY 1 ORDER BY 1`
    const rows = ['2026-01-01', '2026-02-01'].map((month, at) => ({ month, 'number of rows': 7 + at }))
    const textReply = (more: object) => answerTo('Count rows by month of sold_on', query, result(rows, more))
    expect(textReply({})).toMatchObject({
      answer:
        'The number of rows by month of sold_on in sales: highest in February 2026 (8), lowest in January 2026 (7).',
      chartType: 'line',
    })
    expect(textReply({ rowCount: 300 }).answer).toBe(
      'The number of rows by month of sold_on in sales: step 4 has all of it.',
    )
  })

  it('says that values are not shown, that there are no rows, or that the query failed', () => {
    expect(answerTo(question, sql, result([], { rowCount: 2 })).answer).toContain(
      'not shown at this privacy level. Step 4',
    )
    expect(answerTo(question, sql, result([]))).toMatchObject({
      answer: 'The sum of amount by city in sales: there are no rows.',
      chartType: 'table',
      claims: [],
    })
    expect(answerTo(question, sql, 'Binder Error: no')).toMatchObject({
      answer: 'The query failed, so there is no answer.',
      caveats: expect.arrayContaining(['Binder Error: no']),
    })
  })

  it('refuses any other question at once, says what it answers, and offers questions that it answers', () => {
    const [call] = reply([asked('Which city sells most?')]).tools ?? []
    expect(call).toMatchObject({ name: 'mcp__client__final_answer', input: { chartType: 'table', claims: [] } })
    expect(call?.input.answer).toMatch(new RegExp(`^${refused}\\n\\nThe simulator answers`))
    expect(call?.input.answer).toContain('- top N COLUMN by sum of COLUMN in TABLE')
    expect(call?.input.followUps).toEqual([
      'How many rows are in sales?',
      'What is the average of amount in sales?',
      'Describe sales',
    ])
  })

  it('gives the reason when the type of a column does not fit the question', () => {
    const [call] = reply([asked('What is the average city?')]).tools ?? []
    expect(call?.input.answer).toContain(`${refused} Column city has the type VARCHAR: the average needs numbers.`)
  })

  it('refuses a follow-up that is not a whole question, and answers one that is, about the tables listed last', () => {
    const before = [asked(question), called(sql), returned(sql, result([])), { role: 'assistant', content: 'done' }]
    const now = `\n\nThe tables are these now:\n${tableList({ name: 'other', columns })}\n\nFrom now on: You see rows.`
    const [refusal] = reply([...before, asked('And by month?')]).tools ?? []
    expect(refusal?.input.answer).toContain(refused)
    const [query] = reply([...before, asked(`Count by city${now}`)]).tools ?? []
    expect(query?.input.sql).toContain('FROM "other"')
  })

  it('uses results that a wake message contains', () => {
    const output = '{"stepId":1,"rows":[["Oslo", 8]]}'
    const results = formatResult({ tool: 'mcp__client__run_query', input: { sql }, output, isError: false })
    const [answer] = reply([asked(question), { role: 'assistant', content: 'ok' }, asked(results)]).tools ?? []
    expect(answer?.input.answer).toContain('Oslo (8)')
  })

  it('writes a query, or the refusal, when it has no tools', () => {
    const sqlSystem = system.replace('You analyse.', `${sqlWriterMark} for a person.`)
    const writes = (content: string) => reply([asked(content)], { system: sqlSystem, tools: [] }).text
    expect(writes(question)).toBe(
      `\`\`\`sql\n${sql}\n\`\`\`\n\nThe sum of amount by city in sales. Written by the simulator, not by a model.`,
    )
    expect(writes('How many sales?')).toContain(refused)
  })
})
