import { formatResult, formatTableList, sqlWriterMark } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { readConversation } from '../../conversation.ts'
import { respondAsDemo } from '../respond-as-demo.ts'
import { readStepResult } from './step-result.ts'

type Input = Readonly<Record<string, unknown>>
type Call = { readonly name: string; readonly input: Input }

const columns = [
  { name: 'city', type: 'VARCHAR' },
  { name: 'Amount "net"', type: 'DOUBLE' },
  { name: 'sold_on', type: 'DATE' },
]
const told = (table: object) => formatTableList([JSON.stringify(table)])
const system = `You analyse.\n${told({ name: 'sales', rowCount: 3, columns })}`
const names = ['run_query', 'get_column_stats', 'get_value_distribution', 'transform_data', 'ask_user', 'final_answer']
const tools = names.map((name) => ({ name: `mcp__client__${name}` }))
const look =
  'SELECT "city", sum("Amount ""net""") AS "total Amount ""net""" FROM "sales" GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 20'

function reply(messages: readonly object[], more: object = {}) {
  const request = { model: 'm', max_tokens: 9, system, tools, messages, ...more }
  const answer = respondAsDemo(readConversation(request as Parameters<typeof readConversation>[0]))
  if (answer.type !== 'reply') throw new Error(answer.message)
  return answer.reply
}

/** Plays the browser until the last word; steps are numbered as it does. */
function play(question: string, browser: (call: Call, step: number) => object | string, more: object = {}) {
  const messages: object[] = [{ role: 'user', content: question }]
  const calls: Call[] = []
  let step = 0
  for (let turn = 0; turn < 9; turn += 1) {
    const asked = (reply(messages, more).tools ?? []).map(({ name, input }) => ({ name: name.slice(13), input }))
    const [last] = asked
    if (last?.name === 'final_answer') return { calls, messages, answer: last.input }
    calls.push(...asked)
    const use = (call: Call, at: number) => ({
      type: 'tool_use',
      id: `${turn}-${at}`,
      name: `mcp__client__${call.name}`,
      input: call.input,
    })
    messages.push({ role: 'assistant', content: asked.map(use) })
    const results = asked.map((call, at) => {
      if (call.name !== 'ask_user') step += 1
      const given = browser(call, step)
      const isError = typeof given === 'string'
      return {
        type: 'tool_result',
        tool_use_id: `${turn}-${at}`,
        content: isError ? given : JSON.stringify(given),
        is_error: isError,
      }
    })
    messages.push({ role: 'user', content: results })
  }
  throw new Error('it never came to an end')
}

const rowsOf = (step: number, ...rows: readonly Input[]) => ({
  ...{ stepId: step, rowCount: rows.length, truncated: false, elapsedMs: 1, rows },
  columns: Object.keys(rows[0] ?? {}).map((name) => ({ name, type: 'VARCHAR' })),
})
const sqlIn = (call: Call | undefined) => String(call?.input.sql)
const question = 'Which city has the highest amount?'
const total = 'total Amount "net"'
const browser = (call: Call, step: number) =>
  sqlIn(call).includes('GROUP BY')
    ? rowsOf(step, { city: 'Oslo', [total]: 1234.5 }, { city: 'Bergen', [total]: 80 })
    : rowsOf(step, { rows: 3, 'rows with a value': 2 })

describe('the demo of an analysis', () => {
  it('makes two queries at once, with the names quoted, and tells where each number comes from', () => {
    const { calls, answer } = play(question, (call, step) => browser(call, step + 6))
    expect(calls.map(sqlIn)).toEqual([
      'SELECT count(*) AS "rows", count("Amount ""net""") AS "rows with a value" FROM "sales"',
      look,
    ])
    expect(answer).toMatchObject({
      answer: 'Oslo is highest by total Amount "net", with 1,234.5; then Bergen (80).',
      ...{ chartType: 'bar', xAxis: 'city', yAxis: total, sourceStep: 8 },
      claims: [
        { text: '1,234.5', stepId: 8, column: total, row: 0, value: 1234.5 },
        { text: '80', stepId: 8, column: total, row: 1, value: 80 },
      ],
    })
    expect(answer.caveats).toContain('1 of 3 rows has no value there and is left out.')
    expect(String(answer.caveats)).toContain('The simulator answers by rules')
    expect(answer.followUps).toHaveLength(3)
  })

  it('offers further questions that it can answer, each with a plan of its own', () => {
    const { answer } = play(question, browser)
    const plans = (answer.followUps as readonly string[]).map((one) =>
      play(one, (_call, step) => rowsOf(step, { a: 'x', b: 1, c: 2 })),
    )
    const first = plans.map(({ calls }) => JSON.stringify(calls))
    expect(new Set(first).size).toBe(3)
    expect(first.join()).not.toContain(look)
  })

  it('works by the order of calls where a browser numbers no steps and gives lists', () => {
    const { answer } = play(question, (call) => ({ rows: sqlIn(call).includes('GROUP') ? [['Oslo', 12]] : [[3]] }))
    expect(answer).toMatchObject({ answer: `Oslo is highest by ${total}, with 12.`, sourceStep: 2 })
  })

  it('asks something simpler once a query failed, and says what happened', () => {
    const { calls, answer } = play('How did the amount change by month?', (call, step) =>
      sqlIn(call).includes('date_trunc') ? 'Binder Error: no' : browser(call, step),
    )
    expect(calls.filter((call) => sqlIn(call).includes('date_trunc'))).toHaveLength(1)
    expect(answer).toMatchObject({ answer: expect.stringContaining('Oslo comes first'), chartType: 'bar' })
    expect(answer.caveats).toEqual(
      expect.arrayContaining([
        'The query for this failed, so this is only an overview.',
        'A query failed: Binder Error: no',
      ]),
    )
    const none = play(question, () => 'no')
    expect(none.answer).toMatchObject({ answer: expect.stringContaining('I could not find out'), chartType: 'table' })
    expect(none.calls.length).toBeLessThan(6)
  })

  it('asks the person which of two columns is meant, and takes the answer', () => {
    const prices = ['list_price', 'sale_price'].map((name) => ({ name, type: 'DOUBLE' }))
    const more = { system: `You analyse.\n${told({ name: 'sales', columns: prices })}` }
    const { calls, messages } = play(
      'What is the average price?',
      (call, step) => (call.name === 'ask_user' ? { answer: 'sale_price' } : rowsOf(step, { a: 2 })),
      more,
    )
    expect(calls[0]).toEqual({
      name: 'ask_user',
      input: { question: 'Which one: list_price or sale_price?', options: ['list_price', 'sale_price'] },
    })
    expect(calls.map(sqlIn)).toContain('SELECT avg("sale_price") AS "average sale_price" FROM "sales"')
    // Nobody is asked the same twice in a conversation.
    const again = { role: 'user', content: 'What is the total price?' }
    const said = reply([...messages, { role: 'assistant', content: 'done' }, again], more).tools ?? []
    expect(said.map(({ input }) => input.sql)).toContain('SELECT sum("sale_price") AS "total sale_price" FROM "sales"')
  })

  it('looks for a name before it filters by it', () => {
    const { calls } = play('What is the total amount in Bergen?', (call, step) =>
      call.name === 'get_value_distribution' ? rowsOf(step, { value: 'Bergen', count: 9 }) : rowsOf(step, { a: 1 }),
    )
    expect(calls[0]).toMatchObject({ name: 'get_value_distribution', input: { column: 'city', table: 'sales' } })
    expect(sqlIn(calls.at(-1))).toContain(`WHERE "city" = 'Bergen'`)
    const { answer } = play('What is the total amount in Bergen?', (_call, step) =>
      rowsOf(step, { value: 'Oslo', count: 9 }),
    )
    expect(answer.caveats).toContain('I found no value "Bergen" in the columns I looked at.')
  })

  it('adds up in the sandbox where a running total is asked for', () => {
    const { calls, answer } = play('Running total of the amount by month', (call, step) =>
      call.name === 'transform_data'
        ? rowsOf(step, { month: '2026-01-01', 'running total': 3 }, { month: '2026-02-01', 'running total': 9 })
        : rowsOf(step, { month: '2026-01-01', [total]: 3 }, { month: '2026-02-01', [total]: 6 }),
    )
    const last = calls.at(-1)
    expect(last).toMatchObject({ name: 'transform_data', input: { sourceStep: 2 } })
    const run = new Function('data', String(last?.input.code)) as (data: readonly Input[]) => unknown
    expect(
      run([
        { month: 1, [total]: 2 },
        { month: 2, [total]: null },
        { month: 3, [total]: 5 },
      ]),
    ).toEqual([2, 2, 7].map((sum, at) => ({ month: at + 1, [`running total of ${total}`]: sum })))
    expect(answer).toMatchObject({
      chartType: 'line',
      sourceStep: 3,
      answer: expect.stringContaining('9 in February 2026'),
    })
  })

  it('asks for the ends of a time it sees only the beginning of', () => {
    const days = (step: number, ...rows: readonly Input[]) => ({ ...rowsOf(step, ...rows), rowCount: 300 })
    const { calls, answer } = play('Which day had the highest amount?', (call, step) => {
      if (!sqlIn(call).includes('step_2'))
        return days(step, { day: '2026-01-01', [total]: 3 }, { day: '2026-01-02', [total]: 4 })
      const at = ['2026-01-01', '2026-10-27', '2026-09-09', '2026-03-03']
      return rowsOf(step, ...at.map((day, index) => ({ day, [total]: [3, 5, 99, 1][index] })))
    })
    expect(calls).toHaveLength(3)
    expect(answer).toMatchObject({
      answer: `The ${total} was highest in 2026-09-09 (99) and lowest in 2026-03-03 (1).`,
      ...{ chartType: 'line', sourceStep: 2 },
      claims: [
        { text: '99', stepId: 3, row: 2 },
        { text: '1', stepId: 3, row: 3 },
      ],
    })
  })

  it('looks for a reason in the first of the groups', () => {
    const more = {
      system: `You analyse.\n${told({ name: 'sales', columns: [...columns, { name: 'channel', type: 'VARCHAR' }] })}`,
    }
    const { calls, answer } = play(
      `${question} Why?`,
      (call, step) =>
        sqlIn(call).includes('"channel"')
          ? rowsOf(step, { channel: 'web', [total]: 7 }, { channel: 'shop', [total]: 5 })
          : browser(call, step),
      more,
    )
    expect(sqlIn(calls[2])).toContain(`WHERE "city" = 'Oslo'`)
    expect(answer.answer).toContain('In Oslo, by channel: web (7), then shop (5).')
  })

  it('says what it can where it may see no values', () => {
    const hidden = (call: Call, step: number) => ({ ...browser(call, step), rows: [], rowCount: 2 })
    const { answer } = play(question, hidden)
    expect(answer).toMatchObject({
      answer: `I may not see values here. Step 2 has the answer: city and ${total}, drawn below.`,
      ...{ chartType: 'bar', sourceStep: 2, claims: [] },
    })
    const nothing = play(question, (_call, step) => ({ ...rowsOf(step), columns: [] }))
    expect(nothing.answer).toMatchObject({ answer: 'No rows of sales fit the question.', chartType: 'table' })
  })

  it('takes the results that came while nobody ran, and those from before', () => {
    const count = 'SELECT count(*) AS "rows", count("Amount ""net""") AS "rows with a value" FROM "sales"'
    const results = [
      [count, '{"stepId":1,"rows":[[7, 7]]}'],
      [look, '{"stepId":2,"rows":[["Oslo", 8]]}'],
    ].map(([sql = '', output = '']) =>
      formatResult({ tool: 'mcp__client__run_query', input: { sql }, output, isError: false }),
    )
    const asked = { role: 'user', content: question }
    const [answer] =
      reply([asked, { role: 'assistant', content: 'ok' }, { role: 'user', content: results.join('\n') }]).tools ?? []
    expect(answer?.input.answer).toContain('with 8')
  })

  it('goes on with the question before, and with the tables that are told last', () => {
    const { messages } = play(question, browser)
    const next = {
      role: 'user',
      content: `And by shop?\n\nThe tables are these now:\n${told({ name: 'other', columns: [...columns, { name: 'shop', type: 'VARCHAR' }] })}\n\nFrom now on: You see rows.`,
    }
    const said = reply([...messages, { role: 'assistant', content: 'done' }, next]).tools ?? []
    expect(said.map(({ input }) => String(input.sql)).at(-1)).toContain('SELECT "shop", sum("Amount ""net""")')
  })

  it('reads from a step that is named', () => {
    const { messages } = play(question, (_call, step) => ({
      ...rowsOf(step, { city: 'Oslo', amount: 1 }),
      columns: [
        { name: 'city', type: 'VARCHAR' },
        { name: 'amount', type: 'DOUBLE' },
      ],
    }))
    const next = { role: 'user', content: 'What is the total amount in step 2?' }
    const said = reply([...messages, { role: 'assistant', content: 'done' }, next]).tools ?? []
    expect(said.map(({ input }) => input.sql)).toContain('SELECT sum("amount") AS "total amount" FROM "step_2"')
  })

  it('writes a query where it has no tools and is asked for one', () => {
    const sqlSystem = system.replace('You analyse.', `${sqlWriterMark} for a person.`)
    const writes = (content: string) => reply([{ role: 'user', content }], { system: sqlSystem, tools: [] }).text
    expect(writes('How many sales?')).toContain('```sql\nSELECT count(*) AS "rows" FROM "sales"\n```')
    expect(writes('Which city has the highest amount?')).toContain(look)
  })

  it('says plainly that no row is left, draws nothing empty, and claims nothing', () => {
    const empty = (call: Call, step: number) =>
      sqlIn(call).includes('count(*)')
        ? rowsOf(step, { rows: 0, 'rows with a value': 0 })
        : rowsOf(step, { 'highest Amount "net"': null })
    const { answer } = play('What is the highest amount in March?', empty)
    expect(answer).toMatchObject({
      answer: 'No row of sales is in March.',
      chartType: 'table',
      sourceStep: 1,
      claims: [],
    })
    const noValue = play('What is the highest amount in March?', (call, step) =>
      sqlIn(call).includes('count(*)') ? rowsOf(step, { rows: 4, 'rows with a value': 0 }) : empty(call, step),
    )
    expect(noValue.answer.answer).toBe('The rows of sales have no value for this, in March.')
    const groups = play(`${question} In March over 5`, (call, step) =>
      sqlIn(call).includes('GROUP BY') ? { ...rowsOf(step), columns: [] } : empty(call, step),
    )
    expect(groups.answer.answer).toBe('No row of sales is in March and has Amount "net" over 5.')
  })

  it('shows rows that a person allowed, and says what it can where none was', () => {
    const rows = [9.75, 8, 7.5].map((amount, at) => ({ city: `c${at}`, 'Amount "net"': amount, sold_on: '2026-01-01' }))
    const browse = (isAllowed: boolean) => (call: Call, step: number) => {
      if (sqlIn(call).includes('count(*)')) return rowsOf(step, { rows: 50, 'highest Amount "net"': 9.75 })
      return isAllowed ? rowsOf(step, ...rows) : { ...rowsOf(step, ...rows), rows: [], note: 'none for you' }
    }
    const asked = 'Show me the three largest sales by amount'
    expect(play(asked, browse(true)).answer).toMatchObject({
      answer: 'The 3 rows with the highest Amount "net" of sales have 9.75, 8 and 7.5.',
      ...{ chartType: 'table', sourceStep: 2 },
      claims: [{ text: '9.75', stepId: 2, row: 0 }, { text: '8' }, { text: '7.5', row: 2 }],
    })
    expect(play(asked, browse(false)).answer).toMatchObject({
      answer: 'sales has 50 rows. The highest Amount "net" is 9.75. I was not shown single rows: step 2 has them.',
      claims: [
        { text: '50', stepId: 1 },
        { text: '9.75', stepId: 1 },
      ],
      caveats: expect.arrayContaining(['Only counts and names were sent, as you chose. The rows are in the step.']),
    })
  })

  it('stays with the table of the questions before', () => {
    const lists = formatTableList(
      [
        { name: 'big', rowCount: 6000, columns: [...columns, { name: 'fee', type: 'DOUBLE' }] },
        { name: 'verkauf', rowCount: 9, columns: [{ name: 'Umsatz', type: 'DOUBLE' }] },
      ].map((table) => JSON.stringify(table)),
    )
    const more = { system: `You analyse.\n${lists}` }
    const { messages } = play('What is the total Umsatz?', (_call, step) => rowsOf(step, { a: 1 }), more)
    const next = { role: 'user', content: 'What is the highest?' }
    const said = reply([...messages, { role: 'assistant', content: 'done' }, next], more).tools ?? []
    expect(said.map(({ input }) => String(input.sql)).at(-1)).toContain('FROM "verkauf"')
  })

  it('says one row as one', () => {
    const one = play('How many sales?', (_call, step) => rowsOf(step, { rows: 1 }))
    expect(one.answer.answer).toBe('sales has 1 row.')
    const few = play('How many sales have an amount over 5?', (_call, step) =>
      rowsOf(step, { rows: step === 1 ? 9 : 1 }),
    )
    expect(few.answer.answer).toBe('There is 1 row with Amount "net" over 5, of 9 in sales.')
  })

  it('reads rows in every shape, and none from words', () => {
    for (const text of ['[[1]]', '[{"a":1}]', '{"rows":[[1]]}', '{"data":[{"a":1}]}', '[1]']) {
      expect(readStepResult(text).rows).toEqual([[1]])
    }
    for (const text of ['', 'no', '{}', 'null', '3']) expect(readStepResult(text).rows).toEqual([])
  })
})
