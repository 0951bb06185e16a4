// The scripted model for the pictures of Data: a plan over the sample of deliveries.
interface Call {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

const query = (thought: string, sql: string): Call => ({ name: 'run_query', input: { thought, sql } })
const answer = (input: Readonly<Record<string, unknown>>): Call => ({ name: 'final_answer', input })

export const questions = {
  trend: 'Which carrier got late this summer, and did it happen everywhere?',
  rows: 'What do the latest of all deliveries look like?',
  endless: 'How far is every delivery from every other one?',
} as const

const byDepot = (depot: string): string => `SELECT ${depot},
  count(*) AS parcels,
  round(avg(100 * (delivered_at > promised_at)::INT), 1) AS late
FROM deliveries
WHERE carrier = 'Hansa Cargo' AND month(promised_at) = 9
  AND delivered_at IS NOT NULL
GROUP BY ${depot}
ORDER BY late DESC, parcels DESC`

const trend: readonly (readonly Call[])[] = [
  [
    query(
      'Look at what there is, and what is missing',
      `SELECT count(*) AS deliveries,
  count(*) - count(delivered_at) AS not_delivered
FROM deliveries`,
    ),
  ],
  [
    query(
      'Late share per carrier and week',
      `SELECT date_trunc('week', promised_at)::DATE AS week,
  carrier,
  round(avg(100 * (delivered_at > promised_at)::INT), 1) AS late
FROM deliveries
WHERE delivered_at IS NOT NULL
  AND promised_at BETWEEN '2026-06-29' AND '2026-09-28'
GROUP BY week, carrier
ORDER BY week, carrier`,
    ),
  ],
  [
    query(
      'Compare July with September per carrier',
      `SELECT carrier,
  round(avg(late) FILTER (m = 7), 1) july,
  round(avg(late) FILTER (m = 9), 1) sept,
  round(sept - july, 1) AS rise
FROM (
  SELECT carrier, month(promised_at) AS m,
    100 * (delivered_at > promised_at)::INT
      AS late
  FROM deliveries
  WHERE delivered_at IS NOT NULL
)
GROUP BY carrier
ORDER BY rise DESC`,
    ),
  ],
  [query('Split Hansa Cargo by depot', byDepot('depo_id'))],
  [query('Split Hansa Cargo by depot', byDepot('depot_id'))],
  [
    answer({
      answer:
        '**Hansa Cargo** got late: from 12.7 % in July to 33.0 % in September. No other carrier moved by more than 2.2 points. It did not happen everywhere: from the depots D01, D02 and D03 every one of its parcels came late, 100 % of 34 from D02 alone; from no other depot was it more than 20.5 %.',
      chartType: 'line',
      xAxis: 'week',
      yAxis: 'late',
      sourceStep: 2,
      charts: [
        {
          sourceStep: 2,
          type: 'line',
          x: 'week',
          y: 'late',
          series: 'carrier',
          title: 'Late deliveries per week, percent',
        },
      ],
      claims: [
        { text: '12.7 %', stepId: 3, row: 0, column: 'july' },
        { text: '33.0 %', stepId: 3, row: 0, column: 'sept' },
        { text: '100 %', stepId: 5, row: 0, column: 'late' },
        { text: '34 from D02', stepId: 5, row: 0, column: 'parcels' },
      ],
      caveats: ['90 rows without a delivery time are left out.'],
      followUps: ['Which regions are these depots in?', 'When did it start?'],
    }),
  ],
]

const plans: Readonly<Record<string, readonly (readonly Call[])[]>> = {
  [questions.trend]: trend,
  [questions.rows]: [
    [
      query(
        'The twelve that came latest',
        'SELECT *, delivered_at - promised_at AS delay\nFROM deliveries\nWHERE delivered_at IS NOT NULL\nORDER BY delay DESC\nLIMIT 12',
      ),
    ],
    [answer({ answer: 'All of them came with Hansa Cargo.', chartType: 'table' })],
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

/** Semicolons, decimal commas, day-first dates, a duplicate and an empty column name, and two malformed lines. */
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
