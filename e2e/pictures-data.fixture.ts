// What the model does in the pictures of Data: a plan over the sample of deliveries, written down.
interface Call {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

const query = (thought: string, sql: string): Call => ({ name: 'run_query', input: { thought, sql } })
const answer = (input: Readonly<Record<string, unknown>>): Call => ({ name: 'final_answer', input })

export const questions = {
  story: 'Where did late deliveries rise most this summer, and did one carrier cause it?',
  rows: 'What do the latest of all deliveries look like?',
  endless: 'How far is every delivery from every other one?',
} as const

const byCarrier = (carrier: string): string => `SELECT ${carrier},
  count(*) AS parcels,
  round(avg(100 * (delivered_at > promised_at)::INT), 1) AS late
FROM deliveries JOIN depots USING (depot_id)
WHERE region = 'North' AND month(promised_at) = 9
  AND delivered_at IS NOT NULL
GROUP BY ${carrier}
ORDER BY late DESC`

const story: readonly (readonly Call[])[] = [
  [
    query(
      'Look at both tables and how they join',
      `SELECT count(*) AS deliveries,
  count(depots.depot_id) AS with_depot,
  count(*) - count(delivered_at) AS not_delivered
FROM deliveries LEFT JOIN depots USING (depot_id)`,
    ),
  ],
  [
    query(
      'Late share per region and week',
      `SELECT date_trunc('week', promised_at)::DATE AS week,
  region,
  round(avg(100 * (delivered_at > promised_at)::INT), 1) AS late
FROM deliveries JOIN depots USING (depot_id)
WHERE delivered_at IS NOT NULL
  AND promised_at BETWEEN '2026-06-29' AND '2026-09-28'
GROUP BY week, region
ORDER BY week, region`,
    ),
  ],
  [
    query(
      'Compare July with September per region',
      `SELECT region,
  round(avg(late) FILTER (m = 7), 1) AS july,
  round(avg(late) FILTER (m = 9), 1) AS sept,
  round(sept - july, 1) AS rise
FROM (
  SELECT region,
    month(promised_at) AS m,
    100 * (delivered_at > promised_at)::INT AS late
  FROM deliveries JOIN depots USING (depot_id)
  WHERE delivered_at IS NOT NULL
)
GROUP BY region
ORDER BY rise DESC`,
    ),
  ],
  [query('Split North by carrier', byCarrier('carier'))],
  [query('Split North by carrier', byCarrier('carrier'))],
  [
    answer({
      answer:
        'Late deliveries rose most in **North**, from 9.5 % in July to 31.1 % in September. No other region moved by more than 0.7 points. One carrier caused it: of the 82 parcels that Hansa Cargo had in North in September, 100 % came late; of no other carrier more than 13.1 %.',
      ...{ chartType: 'line', xAxis: 'week', yAxis: 'late', sourceStep: 2 },
      charts: [
        {
          ...{ sourceStep: 2, type: 'line', x: 'week', y: 'late', series: 'region' },
          title: 'Late deliveries per week, percent',
        },
      ],
      claims: [
        { text: '9.5 %', stepId: 3, row: 0, column: 'july' },
        { text: '31.1 %', stepId: 3, row: 0, column: 'sept' },
        { text: '82 parcels', stepId: 5, row: 0, column: 'parcels' },
      ],
      caveats: ['90 rows without a delivery time are left out.'],
      followUps: ['Which depots in North?', 'When did it start?'],
    }),
  ],
]

const plans: Readonly<Record<string, readonly (readonly Call[])[]>> = {
  [questions.story]: story,
  [questions.rows]: [
    [
      query(
        'The twelve latest deliveries',
        'SELECT *, delivered_at - promised_at AS delay\nFROM deliveries\nWHERE delivered_at IS NOT NULL\nORDER BY delay DESC\nLIMIT 12',
      ),
    ],
    [answer({ answer: 'All of them left from North.', chartType: 'table' })],
  ],
  [questions.endless]: [
    [query('How many pairs there are', 'SELECT count(*) * (count(*) - 1) / 2 AS pairs\nFROM deliveries')],
    [
      query(
        'Compare each one with each other one',
        `SELECT count(*) AS close
FROM deliveries a, deliveries b, deliveries c
WHERE a.weight_kg + b.weight_kg < c.weight_kg - 500`,
      ),
    ],
    [answer({ answer: 'Done.', chartType: 'table' })],
  ],
}

/** For `serve --script`. */
export function pictureScenario(): string {
  const steps = Object.entries(plans).flatMap(([text, messages]) =>
    messages.map((calls, at) => ({
      when: at === 0 ? { text } : { text, tool_result: {}, calls: messages.slice(0, at).flat().length },
      then: { tools: calls.map(({ name, input }) => ({ name: `mcp__client__${name}`, input })) },
    })),
  )
  return JSON.stringify({ name: 'pictures of Data', steps })
}

/** Semicolons, decimal commas, days first, a double name, an empty one, and two lines that are not like the others. */
export const stockCsv = [
  'Artikel;Größe;Preis;Eingang;Menge;;Menge',
  ...Array.from({ length: 40 }, (_, at) =>
    [
      `A-${1000 + at}`,
      ['S', 'M', 'L', 'XL'][at % 4],
      `${(at * 7) % 90},${10 + (at % 80)}`,
      `${String(1 + (at % 28)).padStart(2, '0')}.${String(1 + (at % 12)).padStart(2, '0')}.2026`,
      at === 17 ? 'viele' : String((at * 13) % 40),
      at % 3 === 0 ? 'ja' : '',
      String(at),
    ].join(';'),
  ),
  'A-1040;M;9,90',
].join('\n')
