// Questions with known answers: the calls that a model would make for each, and the expected rows.

import { groupBy, known, mean, quantile, type ResultRow, sortBy, spread, sum } from './calculations.ts'
import { generatedCustomers, generatedOrders, generatedPrices, type Order } from './generated-tables.ts'

export interface PlannedCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface KnownQuestion {
  readonly question: string
  /** Messages in order, each with its calls. `step_@1` is the first step of this question. */
  readonly messages: readonly (readonly PlannedCall[])[]
  /** The rows of the last step. */
  readonly rows: readonly ResultRow[]
}

const orders = generatedOrders()
const customers = generatedCustomers()
const prices = generatedPrices()
const amounts = orders.map(({ amount }) => amount)

const query = (sql: string): PlannedCall => ({ name: 'run_query', input: { thought: 'To find out', sql } })
const asked = (question: string, sql: string, rows: readonly ResultRow[]): KnownQuestion => ({
  question,
  rows,
  messages: [[query(sql)]],
})

const sumOf = (group: readonly Order[]): number => sum(group.map(({ amount }) => amount))
const monthOf = ({ placed_at }: Order): string => placed_at.slice(0, 7)
const dayNumber = (text: string): number => Date.parse(`${text.slice(0, 10)}T00:00:00Z`) / 86_400_000
const customerOf = new Map(customers.map((customer) => [customer.id, customer]))

const numbers: readonly KnownQuestion[] = [
  asked('How many orders are there?', 'SELECT count(*) AS n FROM orders', [[orders.length]]),
  asked('What is the total amount?', 'SELECT sum(amount) AS total FROM orders', [[sum(amounts)]]),
  asked('What is the average and the median amount?', 'SELECT avg(amount) a, median(amount) m FROM orders', [
    [mean(amounts), quantile(amounts, 0.5)],
  ]),
  asked(
    'How far do the amounts spread?',
    'SELECT min(amount) lo, max(amount) hi, stddev(amount) s, quantile_cont(amount, 0.9) q FROM orders',
    [[Math.min(...known(amounts)), Math.max(...known(amounts)), spread(amounts), quantile(amounts, 0.9)]],
  ),
  asked(
    'Which regions bring most?',
    'SELECT region, sum(amount) AS total FROM orders GROUP BY region ORDER BY total DESC',
    groupBy(orders, ({ region }) => region)
      .map(([region, group]) => [region, sumOf(group)])
      .sort(sortBy(1, -1)),
  ),
  asked(
    'What share of the orders has each region?',
    'SELECT region, 100.0 * count(*) / sum(count(*)) OVER () AS share FROM orders GROUP BY region ORDER BY region',
    groupBy(orders, ({ region }) => region)
      .map(([region, group]) => [region, (100 * group.length) / orders.length])
      .sort(sortBy(0)),
  ),
  asked('How many orders are over 300?', 'SELECT count(*) FILTER (amount > 300) AS n FROM orders', [
    [known(amounts).filter((amount) => amount > 300).length],
  ]),
  asked(
    'How do quantity and amount spread over the sizes of orders?',
    `SELECT qty, count(*) AS n, avg(amount) AS a FROM orders GROUP BY qty HAVING count(*) > 300 ORDER BY qty`,
    groupBy(orders, ({ qty }) => qty)
      .filter(([, group]) => group.length > 300)
      .map(([qty, group]) => [qty, group.length, mean(group.map(({ amount }) => amount))])
      .sort(sortBy(0)),
  ),
]

const byMonth: readonly ResultRow[] = groupBy(orders, monthOf)
  .map(([month, group]) => [month, sumOf(group)])
  .sort(sortBy(0))
const byMonthSql = `SELECT strftime(placed_at, '%Y-%m') AS month, sum(amount) AS total FROM orders GROUP BY 1 ORDER BY 1`
/** An ISO 8601 timestamp. */
const momentOf = (text: string): string => text.replace(' ', 'T')
const latest =
  orders
    .map(({ placed_at }) => placed_at)
    .sort()
    .at(-1) ?? ''

const dates: readonly KnownQuestion[] = [
  asked('How did the amount develop by month?', byMonthSql, byMonth),
  {
    question: 'How did it add up over the year?',
    messages: [[query(byMonthSql)], [query('SELECT month, sum(total) OVER (ORDER BY month) AS so_far FROM step_@1')]],
    rows: byMonth.map(([month = null], at) => [month, sum(byMonth.slice(0, at + 1).map((line) => Number(line[1])))]),
  },
  {
    question: 'How much more or less is each month than the one before?',
    messages: [
      [query(byMonthSql)],
      [query('SELECT month, total - lag(total) OVER (ORDER BY month) AS more FROM step_@1')],
    ],
    rows: byMonth.map(([month = null, total], at) => {
      const before = byMonth[at - 1]?.[1]
      return [month, before === undefined ? null : Number(total) - Number(before)]
    }),
  },
  asked(
    'On which weekday do people order?',
    'SELECT isodow(placed_at) AS weekday, count(*) AS n FROM orders GROUP BY 1 ORDER BY 1',
    groupBy(orders, ({ placed_at }) => ((dayNumber(placed_at) + 3) % 7) + 1)
      .map(([weekday, group]) => [weekday, group.length])
      .sort(sortBy(0)),
  ),
  asked('When were the first and the last order?', 'SELECT min(placed_at) AS a, max(placed_at) AS b FROM orders', [
    [momentOf(orders.map(({ placed_at }) => placed_at).sort()[0] ?? ''), momentOf(latest)],
  ]),
  asked(
    'How many orders came in the last 30 days?',
    `SELECT count(*) AS n FROM orders WHERE placed_at::DATE > (SELECT max(placed_at)::DATE - 30 FROM orders)`,
    [[orders.filter(({ placed_at }) => dayNumber(placed_at) > dayNumber(latest) - 30).length]],
  ),
  asked(
    'When did each region order last?',
    'SELECT region, max(placed_at)::DATE AS last FROM orders GROUP BY region ORDER BY region',
    groupBy(orders, ({ region }) => region)
      .map(([region, group]) => [
        region,
        group
          .map(({ placed_at }) => placed_at)
          .sort()
          .at(-1)
          ?.slice(0, 10) ?? null,
      ])
      .sort(sortBy(0)),
  ),
  asked(
    'How many customers joined in which year?',
    'SELECT year(since) AS y, count(*) AS n FROM customers GROUP BY 1 ORDER BY 1',
    groupBy(customers, ({ since }) => Number(since.slice(0, 4)))
      .map(([year, group]) => [year, group.length])
      .sort(sortBy(0)),
  ),
]

const nulls: readonly KnownQuestion[] = [
  asked(
    'What is missing?',
    `SELECT count(*) - count(customer_id) AS c, count(*) - count(amount) AS a, count(*) - count(note) AS n FROM orders`,
    [
      [
        orders.filter(({ customer_id }) => customer_id === null).length,
        orders.filter(({ amount }) => amount === null).length,
        orders.filter(({ note }) => note === null).length,
      ],
    ],
  ),
  asked(
    'What is the average with and without unpriced orders?',
    'SELECT avg(amount) AS priced, avg(coalesce(amount, 0)) AS every FROM orders',
    [[mean(amounts), sum(amounts) / orders.length]],
  ),
  asked(
    'How many customers has each country, unknown ones too?',
    'SELECT country, count(*) AS n FROM customers GROUP BY country ORDER BY country NULLS LAST',
    groupBy(customers, ({ country }) => country)
      .map(([country, group]) => [country, group.length])
      .sort(sortBy(0)),
  ),
  asked('How many different customers ordered?', 'SELECT count(DISTINCT customer_id) AS n FROM orders', [
    [new Set(known(orders.map(({ customer_id }) => customer_id))).size],
  ]),
  asked(
    'Which orders cost more than a million?',
    'SELECT region, sum(qty) AS q FROM orders WHERE amount > 1e6 GROUP BY 1',
    [],
  ),
]

const text: readonly KnownQuestion[] = [
  asked(
    'What do the notes say, however they are typed?',
    'SELECT lower(trim(note)) AS note, count(*) AS n FROM orders WHERE note IS NOT NULL GROUP BY 1 ORDER BY 1',
    groupBy(
      orders.flatMap(({ note }) => (note === null ? [] : [note.trim().toLowerCase()])),
      (note) => note,
    )
      .map(([note, group]) => [note, group.length])
      .sort(sortBy(0)),
  ),
  asked('How many notes have quotes in them?', `SELECT count(*) AS n FROM orders WHERE note LIKE '%"%'`, [
    [orders.filter(({ note }) => note?.includes('"')).length],
  ]),
  asked(
    'At which hosts do customers have their mail?',
    `SELECT lower(split_part(email, '@', 2)) AS host, count(*) AS n FROM customers GROUP BY 1 ORDER BY 1`,
    groupBy(customers, ({ email }) => email.split('@')[1]?.toLowerCase() ?? '')
      .map(([host, group]) => [host, group.length])
      .sort(sortBy(0)),
  ),
  asked(
    'Which is the longest name?',
    'SELECT max(length(name)) AS longest, min(length(name)) AS shortest FROM customers',
    [[Math.max(...customers.map(({ name }) => name.length)), Math.min(...customers.map(({ name }) => name.length))]],
  ),
  asked(
    'Was kosten die Größen?',
    'SELECT "größe", "preis", "a""b" FROM "Größen_Preise" ORDER BY "preis" DESC',
    prices.map((price): ResultRow => [price.größe, price.preis, price['a"b']]).sort(sortBy(1, -1)),
  ),
]

const priced = orders.flatMap((order) => {
  const customer = order.customer_id === null ? undefined : customerOf.get(order.customer_id)
  return customer === undefined ? [] : [{ order, customer }]
})
const joined = 'orders o JOIN customers c ON c.id = o.customer_id'
const countrySql = `SELECT country, sum(amount) AS total FROM ${joined} GROUP BY country ORDER BY country NULLS LAST`
const byCountry: readonly ResultRow[] = groupBy(priced, ({ customer }) => customer.country)
  .map(([country, group]): ResultRow => [country, sumOf(group.map(({ order }) => order))])
  .sort(sortBy(0))

const joins: readonly KnownQuestion[] = [
  asked('Which country brings how much?', countrySql, byCountry),
  asked(
    'How many customers never ordered?',
    'SELECT count(*) AS n FROM customers c WHERE NOT EXISTS (FROM orders o WHERE o.customer_id = c.id)',
    [[customers.filter(({ id }) => !orders.some(({ customer_id }) => customer_id === id)).length]],
  ),
  asked(
    'How many orders have no customer we know?',
    'SELECT count(*) AS n FROM orders o LEFT JOIN customers c ON c.id = o.customer_id WHERE c.id IS NULL',
    [[orders.length - priced.length]],
  ),
  asked(
    'Which customers have more than 20 orders?',
    `SELECT c.name, count(*) AS n FROM ${joined} GROUP BY c.name HAVING count(*) > 20 ORDER BY c.name`,
    groupBy(priced, ({ customer }) => customer.name)
      .filter(([, group]) => group.length > 20)
      .map(([name, group]): ResultRow => [name, group.length])
      .sort(sortBy(0)),
  ),
  asked(
    'How long were customers with us when they ordered, on average and by region?',
    `SELECT region, avg(placed_at::DATE - since) AS days FROM ${joined} GROUP BY region ORDER BY region`,
    groupBy(priced, ({ order }) => order.region)
      .map(([region, group]): ResultRow => {
        const days = group.map(({ order, customer }) => dayNumber(order.placed_at) - dayNumber(customer.since))
        return [region, mean(days)]
      })
      .sort(sortBy(0)),
  ),
  {
    question: 'Which countries are above the average of all countries?',
    messages: [
      [query(countrySql)],
      [query('SELECT country FROM step_@1 WHERE total > (SELECT avg(total) FROM step_@1) ORDER BY 1 NULLS LAST')],
    ],
    rows: byCountry
      .filter(([, total]) => Number(total) > mean(byCountry.map((line) => Number(line[1]))))
      .map(([country = null]) => [country]),
  },
]

const regionTotals = groupBy(orders, ({ region }) => region)
  .map(([region, group]): ResultRow => [region, group.length])
  .sort(sortBy(0))

/** Several calls at once, JavaScript, and the tools that need no SQL. */
const ways: readonly KnownQuestion[] = [
  {
    question: 'Both at once: orders by region, and customers in all?',
    messages: [
      [
        query('SELECT region, count(*) AS n FROM orders GROUP BY region ORDER BY region'),
        query('SELECT count(*) AS everyone FROM customers'),
      ],
      [query('SELECT region, n, everyone FROM step_@1, step_@2 ORDER BY region')],
    ],
    rows: regionTotals.map((line) => [...line, customers.length]),
  },
  {
    question: 'Turn the regions round: the largest first, with its place',
    messages: [
      [query('SELECT region, count(*) AS n FROM orders GROUP BY region ORDER BY region')],
      [
        {
          name: 'transform_data',
          input: {
            thought: 'Give each its place',
            code: 'return [...data].sort((a, b) => b.n - a.n).map((row, at) => ({ place: at + 1, region: row.region }))',
            sourceStep: '@1',
          },
        },
      ],
    ],
    rows: [...regionTotals].sort(sortBy(1, -1)).map(([region = null], at) => [at + 1, region]),
  },
  {
    question: 'Which regions are there, most frequent first?',
    messages: [
      [
        {
          name: 'get_value_distribution',
          input: { thought: 'Count them', column: 'region', table: 'orders', limit: 2 },
        },
      ],
      [query('SELECT value, count FROM step_@1')],
    ],
    rows: [...regionTotals].sort(sortBy(1, -1)).slice(0, 2),
  },
  {
    question: 'After a wrong name the right one',
    messages: [[query('SELECT sum(amonut) FROM orders')], [query('SELECT sum(qty) AS q FROM orders')]],
    rows: [[sum(orders.map(({ qty }) => qty))]],
  },
]

export const knownQuestions: readonly KnownQuestion[] = [...numbers, ...dates, ...nulls, ...text, ...joins, ...ways]
