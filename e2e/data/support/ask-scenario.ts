// The questions of `ask.test.ts`, their table, and the scripted answers of the model.
interface Call {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

const query = (thought: string, sql: string): Call => ({ name: 'run_query', input: { thought, sql } })
const answer = (input: Readonly<Record<string, unknown>>): Call => ({ name: 'final_answer', input })

const regions = ['North', 'West', 'South', 'East']
/** North adds up to 145, West to 115, South to 95, East to 85: 440 in total. */
export const sales = [
  'region,day,amount',
  ...regions.flatMap((region, place) =>
    Array.from({ length: 10 }, (_, day) =>
      `${region},2026-03-${10 + day},${[10, 7, 5, 4][place]}`.replace(/\d+$/, (n) => String(Number(n) + day)),
    ),
  ),
].join('\n')

export const perRegion = 'SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY total DESC'
const shares = 'SELECT region, round(100.0 * total / sum(total) OVER (), 1) AS share FROM step_1 ORDER BY share DESC'

const ways = Array.from({ length: 12 }, (_, way) =>
  query(
    `Way ${way + 1}`,
    `SELECT region, sum(amount) + ${way} AS way_${way + 1} FROM sales GROUP BY region ORDER BY region`,
  ),
)

/**
 * The scripted messages of the model for each question. Calls in one message run together and get their step numbers
 * in any order, so a step whose number a test uses is alone in its message. The last message has the answer.
 */
const plans: Readonly<Record<string, readonly (readonly Call[])[]>> = {
  'Which region sold most': [
    [query('Add up the amounts per region', perRegion)],
    [query('The share of each region', shares)],
    [query('Everything together', 'SELECT sum(amonut) AS everything FROM sales')],
    [query('Everything together', 'SELECT sum(amount) AS everything, count(*) AS n FROM sales')],
    [
      answer({
        answer: '**North** sold most of the 4 regions: 145, which is 33.0 % of 440 in all. West follows with 116.',
        chartType: 'bar',
        xAxis: 'region',
        yAxis: 'total',
        sourceStep: 1,
        claims: [{ text: '33.0 %', stepId: 2, row: 0, column: 'share' }],
        caveats: ['Days without a sale have no row.'],
        followUps: ['Which day was best?'],
      }),
    ],
  ],
  'Look at it twelve ways': [
    ways.slice(0, 4),
    ways.slice(4, 5),
    ways.slice(5),
    [
      answer({
        answer: 'The fifth way says 99 for South.',
        chartType: 'bar',
        xAxis: 'region',
        yAxis: 'way_5',
        sourceStep: 9,
      }),
    ],
  ],
  'Ask me first': [
    [{ name: 'ask_user', input: { question: 'Which quarter?', options: ['The first', 'The second'] } }],
    [answer({ answer: 'So be it.', chartType: 'table' })],
  ],
  'Show me single rows': [
    [query('Look at single rows', 'SELECT * FROM sales ORDER BY amount LIMIT 12')],
    [answer({ answer: 'There they are.', chartType: 'table' })],
  ],
  'Nothing but names': [
    [query('Add up everything', 'SELECT sum(amount) AS unseen_total FROM sales')],
    [answer({ answer: 'It is in the step.', chartType: 'table' })],
  ],
  'How many sales': [
    [query('Count the sales', 'SELECT count(*) AS sold FROM sales')],
    [answer({ answer: 'There are 40.', chartType: 'table' })],
  ],
  'Count for ever': [
    [
      query(
        'Count very far',
        'SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000) c WHERE a.range + b.range + c.range = 7',
      ),
    ],
    [answer({ answer: 'Done.', chartType: 'table' })],
  ],
}

/** For the simulator. */
export function scenario(): string {
  const steps = Object.entries(plans).flatMap(([text, messages]) =>
    messages.map((calls, at) => ({
      when: at === 0 ? { text } : { text, tool_result: {}, calls: messages.slice(0, at).flat().length },
      then: { tools: calls.map(({ name, input }) => ({ name: `mcp__client__${name}`, input })) },
    })),
  )
  return JSON.stringify({ name: 'asked on screen', steps })
}
