import { formatResult, formatTableList, sqlWriterMark } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { readConversation } from '../../conversation.ts'
import { respondAsDemo } from '../respond-as-demo.ts'
import { planQueries } from './plan-queries.ts'
import { readRows } from './read-rows.ts'

const columns = [
  { name: 'city', type: 'VARCHAR' },
  { name: 'Price "net"', type: 'DOUBLE' },
]
const system = `You analyse.\n${formatTableList([JSON.stringify({ name: 'sales', rowCount: 3, columns })])}`
const tools = ['mcp__client__run_query', 'mcp__client__final_answer'].map((name) => ({ name }))
const look =
  'SELECT "city", sum("Price ""net""") AS "total Price ""net""" FROM "sales" GROUP BY 1 ORDER BY 2 DESC LIMIT 20'
const count = 'SELECT count(*) AS "rows" FROM "sales"'

function reply(messages: readonly object[], more: object = {}) {
  const request = { model: 'm', max_tokens: 9, system, tools, messages, ...more }
  const answer = respondAsDemo(readConversation(request as Parameters<typeof readConversation>[0]))
  if (answer.type !== 'reply') throw new Error(answer.message)
  return answer.reply
}

const asked = { role: 'user', content: 'Which city has the highest price?' }
const use = (id: string, sql: string) => ({ type: 'tool_use', id, name: 'mcp__client__run_query', input: { sql } })
const result = (id: string, content: string, is_error = false) => ({
  ...{ type: 'tool_result', tool_use_id: id, content, is_error },
})

describe('the demo of an analysis', () => {
  it('makes two queries at once, with the names quoted', () => {
    expect(reply([asked]).tools?.map(({ input }) => input.sql)).toEqual([count, look])
  })

  it('answers with the numbers that came back, and says what failed', () => {
    const calls = { role: 'assistant', content: [use('a', count), use('b', look)] }
    const rows = {
      role: 'user',
      content: [result('a', '{"rows":[[3]]}'), result('b', '{"rows":[{"city":"Oslo","t":12}]}')],
    }
    const [answer] = reply([asked, calls, rows]).tools ?? []
    expect(answer).toMatchObject({
      name: 'mcp__client__final_answer',
      input: {
        chartType: 'bar',
        xAxis: 'city',
        answer: expect.stringContaining('sales has 3 rows. Oslo comes first, with 12'),
      },
    })
    const failed = { role: 'user', content: [result('a', '[{"rows":3}]'), result('b', 'no column', true)] }
    const [other] = reply([asked, calls, failed]).tools ?? []
    expect(other?.input).toMatchObject({ chartType: 'table', answer: 'sales has 3 rows.' })
    expect(other?.input.caveats).toContain('A query failed: no column')
  })

  it('takes the results that came while nobody ran', () => {
    const told = [count, look].map((sql) =>
      formatResult({ tool: 'mcp__client__run_query', input: { sql }, output: '[[7, 8]]', isError: false }),
    )
    const [answer] =
      reply([asked, { role: 'assistant', content: 'ok' }, { role: 'user', content: told.join('\n') }]).tools ?? []
    expect(answer?.input.answer).toContain('sales has 7 rows.')
  })

  it('writes a query where it has no tools and is asked for one', () => {
    const sqlSystem = system.replace('You analyse.', `${sqlWriterMark} for a person.`)
    const writes = (content: string) => reply([{ role: 'user', content }], { system: sqlSystem, tools: [] }).text
    expect(writes('How many sales?')).toContain(`\`\`\`sql\n${count}\n\`\`\``)
    expect(writes('Which city?')).toContain(look)
  })

  it('plans something for any table, and nothing without one', () => {
    const plan = (types: readonly string[]) =>
      planQueries([{ name: 't', columns: types.map((type, index) => ({ name: `c${index}`, type })) }], 'x')?.look.sql
    expect(plan(['VARCHAR'])).toContain('count(*) AS "count"')
    expect(plan(['BIGINT'])).toContain('min("c0")')
    expect(plan(['BLOB'])).toBe('SELECT * FROM "t" LIMIT 5')
    expect(planQueries([], 'x')).toBeNull()
  })

  it('reads rows in every shape, and none from words', () => {
    for (const text of ['[[1]]', '[{"a":1}]', '{"rows":[[1]]}', '{"data":[{"a":1}]}', '[1]']) {
      expect(readRows(text)).toEqual([[1]])
    }
    for (const text of ['', 'no', '{}', 'null', '3']) expect(readRows(text)).toEqual([])
  })
})
