import { describe, expect, it } from 'vitest'
import type { KnownTable } from './known-tables.ts'
import { planQueries } from './plan-queries.ts'
import { readQuestion } from './read-question.ts'

const table = (name: string, rowCount: number, columns: Readonly<Record<string, string | [string, object]>>) => ({
  ...{ name, rowCount },
  columns: Object.entries(columns).map(([column, type]) =>
    typeof type === 'string' ? { name: column, type } : { name: column, type: type[0], summary: type[1] },
  ),
})
const values = (...all: readonly string[]) => ({ top: all.map((value) => ({ value, count: 9 })), distinct: all.length })
const deliveries = table('deliveries', 6000, {
  ...{ delivery_id: 'BIGINT', depot_id: 'VARCHAR', carrier: ['VARCHAR', values('Velox', 'Hansa Cargo')] },
  ...{ promised_at: ['TIMESTAMP', { min: '2026-05-03', max: '2026-10-04' }], delivered_at: 'TIMESTAMP' },
  ...{ weight_kg: 'DOUBLE', fee_eur: 'DOUBLE', customer_email: 'VARCHAR' },
})
const depots = table('depots', 9, { depot_id: 'VARCHAR', depot: 'VARCHAR', region: 'VARCHAR' })
const orders = table('orders', 8000, {
  ...{ order_id: 'BIGINT', ordered_on: ['DATE', { min: '2025-01-01', max: '2025-12-31' }] },
  ...{ channel: ['VARCHAR', values('web', 'app', 'shop')], country: ['VARCHAR', values('DE', 'AT')] },
  ...{ product: 'VARCHAR', quantity: 'BIGINT', unit_price: 'DOUBLE', discount: ['DOUBLE', { max: 0.3 }] },
  ...{ returned: 'BOOLEAN', rating: ['BIGINT', { distinct: 5 }] },
})
const energy = table('energy', 8760, {
  ...{ read_at: 'TIMESTAMP WITH TIME ZONE', used_kwh: ['DOUBLE', { nullShare: 0.01 }], is_holiday: 'BOOLEAN' },
})
const goods = table('waren', 60, { Größe: 'VARCHAR', 价格: 'DOUBLE', 'a"b': 'VARCHAR' })

const asked = (question: string, tables: readonly KnownTable[], before: string | null = null) => {
  const read = readQuestion({ question, before, tables, current: null, chosen: [], values: [] })
  if (read === null) throw new Error('nothing was read')
  return read
}
const mainOf = (question: string, ...tables: readonly KnownTable[]) => planQueries(asked(question, tables).reading).main
const sqlOf = (question: string, ...tables: readonly KnownTable[]) => String(mainOf(question, ...tables).input.sql)

describe('a question', () => {
  it.each([
    ['How many orders are there?', 'SELECT count(*) AS "rows" FROM "orders"'],
    ['What is the total quantity?', 'SELECT sum("quantity") AS "total quantity" FROM "orders"'],
    [
      'Average and median unit price',
      'SELECT avg("unit_price") AS "average unit_price", median("unit_price") AS "median unit_price" FROM "orders"',
    ],
    ['What is the highest unit price?', 'SELECT max("unit_price") AS "highest unit_price" FROM "orders"'],
    ['What is the minimum quantity?', 'SELECT min("quantity") AS "lowest quantity" FROM "orders"'],
    [
      'What is the average rating by country?',
      'SELECT "country", avg("rating") AS "average rating" FROM "orders" GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 20',
    ],
    [
      'Top 3 products by quantity',
      'SELECT "product", sum("quantity") AS "total quantity" FROM "orders" GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 3',
    ],
    [
      'Which channel has the fewest orders?',
      'SELECT "channel", count(*) AS "number of orders" FROM "orders" GROUP BY 1 ORDER BY 2 ASC NULLS LAST, 1 LIMIT 20',
    ],
    [
      'Which products bring the most revenue?',
      'SELECT "product", sum("quantity" * "unit_price" * (1 - coalesce("discount", 0))) AS "revenue" FROM "orders" GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 20',
    ],
    [
      'How did quantity change by month?',
      `SELECT date_trunc('month', "ordered_on")::DATE AS "month", sum("quantity") AS "total quantity" FROM "orders" GROUP BY 1 ORDER BY 1 LIMIT 5000`,
    ],
    [
      'How did the number of orders develop?',
      `SELECT date_trunc('month', "ordered_on")::DATE AS "month", count(*) AS "number of orders" FROM "orders" GROUP BY 1 ORDER BY 1 LIMIT 5000`,
    ],
    [
      'weekly quantity',
      `SELECT date_trunc('week', "ordered_on")::DATE AS "week", sum("quantity") AS "total quantity" FROM "orders" GROUP BY 1 ORDER BY 1 LIMIT 5000`,
    ],
    [
      'How do returns differ between months?',
      `SELECT date_trunc('month', "ordered_on")::DATE AS "month", count(*) FILTER (WHERE "returned") AS "returned orders" FROM "orders" GROUP BY 1 ORDER BY 1 LIMIT 5000`,
    ],
    [
      'Which country has the highest return rate?',
      'SELECT "country", 100.0 * count(*) FILTER (WHERE "returned") / count(*) AS "percentage of returned orders" FROM "orders" GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 20',
    ],
    [
      'How many orders were not returned in November 2025?',
      'SELECT count(*) FILTER (WHERE NOT "returned") AS "orders not returned" FROM "orders" WHERE month("ordered_on") = 11 AND year("ordered_on") = 2025',
    ],
    [
      'What is the average rating of returned orders?',
      'SELECT avg("rating") AS "average rating" FROM "orders" WHERE "returned"',
    ],
    [
      'Do returned orders have a lower rating?',
      'SELECT "returned", avg("rating") AS "average rating" FROM "orders" GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 20',
    ],
    ['How many orders have a quantity of more than 3?', 'SELECT count(*) AS "rows" FROM "orders" WHERE "quantity" > 3'],
    [
      'How many orders have a unit price between 10 and 1,000?',
      'SELECT count(*) AS "rows" FROM "orders" WHERE "unit_price" BETWEEN 10 AND 1000',
    ],
    ['Total quantity in DE', `SELECT sum("quantity") AS "total quantity" FROM "orders" WHERE "country" = 'DE'`],
    [
      'Compare web and app by quantity',
      `SELECT "channel", sum("quantity") AS "total quantity" FROM "orders" WHERE "channel" IN ('web', 'app') GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 20`,
    ],
    [
      'What share of orders is from DE?',
      `SELECT 100.0 * count(*) FILTER (WHERE "country" = 'DE') / count(*) AS "percentage with country DE", count(*) FILTER (WHERE "country" = 'DE') AS "rows with country DE" FROM "orders"`,
    ],
    [
      'How many different products are there?',
      'SELECT count(DISTINCT "product") AS "different values of product" FROM "orders"',
    ],
    [
      'How many products do we have?',
      'SELECT count(DISTINCT "product") AS "different values of product" FROM "orders"',
    ],
    [
      'When were the first and the last order?',
      'SELECT min("ordered_on") AS "first ordered_on", max("ordered_on") AS "last ordered_on" FROM "orders"',
    ],
    [
      'Is rating related to unit price?',
      'SELECT corr("rating", "unit_price") AS "correlation", count(*) FILTER (WHERE "unit_price" IS NOT NULL AND "rating" IS NOT NULL) AS "pairs" FROM "orders"',
    ],
    [
      'On which weekday is the quantity highest?',
      'SELECT dayname("ordered_on") AS "weekday", sum("quantity") AS "total quantity" FROM "orders" GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 31',
    ],
  ])('of orders: %s', (question, sql) => expect(sqlOf(question, orders)).toBe(sql))

  const all =
    '"order_id", "ordered_on", "channel", "country", "product", "quantity", "unit_price", "discount", "returned", "rating"'
  it.each([
    ['Show me the first rows of orders', `SELECT ${all} FROM "orders" LIMIT 10`],
    ['Show me the first 5 rows', `SELECT ${all} FROM "orders" LIMIT 5`],
    [
      'Show the last three rows',
      `SELECT ${all} FROM "orders" LIMIT 3 OFFSET (SELECT greatest(count(*) - 3, 0) FROM "orders")`,
    ],
    ['List all rows where rating is empty', `SELECT ${all} FROM "orders" WHERE "rating" IS NULL LIMIT 100`],
    [
      'List the orders in November without a product',
      `SELECT ${all} FROM "orders" WHERE month("ordered_on") = 11 AND "product" IS NULL LIMIT 100`,
    ],
    [
      'Show me the five largest orders by unit price',
      `SELECT ${all} FROM "orders" ORDER BY "unit_price" DESC NULLS LAST LIMIT 5`,
    ],
    [
      'What are the smallest 3 unit prices?',
      `SELECT ${all} FROM "orders" ORDER BY "unit_price" ASC NULLS LAST LIMIT 3`,
    ],
    ['Show me the latest ten orders', `SELECT ${all} FROM "orders" ORDER BY "ordered_on" DESC NULLS LAST LIMIT 10`],
    ['The newest 5', `SELECT ${all} FROM "orders" ORDER BY "ordered_on" DESC NULLS LAST LIMIT 5`],
    ['List all returned orders in DE', `SELECT ${all} FROM "orders" WHERE "country" = 'DE' AND "returned" LIMIT 100`],
    ['Which row has the highest quantity?', `SELECT ${all} FROM "orders" ORDER BY "quantity" DESC NULLS LAST LIMIT 1`],
  ])('that wants to see rows: %s', (question, sql) => {
    expect(sqlOf(question, orders)).toBe(sql)
    expect(asked(question, [orders]).reading.caveats).toEqual([])
  })

  it.each([
    'How many rows are there?',
    'Show me the number of rows per country',
    'List the orders by channel',
    'Show me the average rating of orders',
    'Show me orders over time',
    'How many orders have at least 5 rows?',
  ])('that counts rows shows none: %s', (question) => {
    expect(asked(question, [orders]).reading.task.type).not.toBe('list')
  })

  it('says so where rows were asked for and are left out, and where a number had no part', () => {
    const caveats = (question: string) => asked(question, [orders]).reading.caveats
    expect(caveats('Show me the duplicate rows')).toContain('Single rows were asked for: this answer leaves them out.')
    expect(caveats('Show all rows for each country')).toContain(
      'Single rows were asked for: this answer leaves them out.',
    )
    expect(caveats('How did quantity change over the last 12 months?')).toContain('Not used of the question: 12.')
    const lines = table('factory', 9, { line: 'VARCHAR', cost: 'DOUBLE' })
    expect(asked('Which line has the highest cost?', [lines]).reading).toMatchObject({
      ...{ task: { type: 'groups' }, caveats: [] },
    })
  })

  it('gives as many groups and times as it is asked for', () => {
    expect(sqlOf('Which five products have the highest quantity?', orders)).toContain('LIMIT 5')
    expect(sqlOf('The first four products by quantity', orders)).toContain('sum("quantity") AS "total quantity"')
    expect(sqlOf('The three best months by quantity', orders)).toContain('"month", sum("quantity")')
    expect(sqlOf('The three best months by quantity', orders)).toContain('ORDER BY 2 DESC NULLS LAST, 1 LIMIT 3')
  })

  it.each(['How do weight_kg and fee_eur go together?', 'Are weight and fee linked?', 'Does the fee go with weight?'])(
    'about how two columns go together: %s',
    (question) => expect(sqlOf(question, depots, deliveries)).toContain('SELECT corr('),
  )

  it('stays with the table that was spoken of, unless it names another', () => {
    const sales = table('verkauf', 50, { Stadt: 'VARCHAR', Umsatz: 'DOUBLE', Datum: 'DATE' })
    const tableOf = (question: string, current: string | null) =>
      readQuestion({
        ...{ question, before: null, tables: [deliveries, depots, sales], current },
        chosen: [],
        values: [],
      })?.reading.source.table.name
    expect(tableOf('Which city sold the most in March?', null)).toBe('deliveries')
    expect(tableOf('Which city sold the most in March?', 'verkauf')).toBe('verkauf')
    expect(tableOf('Which carrier has the highest fee?', 'verkauf')).toBe('deliveries')
    expect(tableOf('How many depots are there?', 'verkauf')).toBe('depots')
  })

  const late = 'count(*) FILTER (WHERE a."delivered_at" > a."promised_at") AS "late deliveries"'
  const joined = 'FROM "deliveries" AS a JOIN "depots" AS b ON a."depot_id" = b."depot_id"'
  const down = 'GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 20'
  it.each([
    [
      'Which region had the most late deliveries in September?',
      `SELECT b."region" AS "region", ${late} ${joined} WHERE month(a."promised_at") = 9 ${down}`,
    ],
    [
      'Which region of depots has the highest weight kg in deliveries?',
      `SELECT b."region" AS "region", max(a."weight_kg") AS "highest weight_kg" ${joined} ${down}`,
    ],
    [
      'How many deliveries per depot?',
      `SELECT b."depot" AS "depot", count(*) AS "number of deliveries" ${joined} ${down}`,
    ],
    [
      'Which carrier is the slowest on average?',
      `SELECT "carrier", avg((epoch("delivered_at") - epoch("promised_at")) / 3600.0) AS "average hours from promised_at to delivered_at" FROM "deliveries" ${down}`,
    ],
    [
      'Which carrier has the heaviest deliveries?',
      `SELECT "carrier", max("weight_kg") AS "highest weight_kg" FROM "deliveries" ${down}`,
    ],
    ['How many deliveries are over 20 kg?', 'SELECT count(*) AS "rows" FROM "deliveries" WHERE "weight_kg" > 20'],
    [
      'How many customers are there?',
      'SELECT count(DISTINCT "customer_email") AS "different values of customer_email" FROM "deliveries"',
    ],
    [
      'How many deliveries did Hansa Cargo make?',
      `SELECT count(*) AS "rows" FROM "deliveries" WHERE "carrier" = 'Hansa Cargo'`,
    ],
    [
      'Are there duplicate depots?',
      'SELECT count(*) AS "rows", count(*) - count(DISTINCT hash("depot_id", "depot", "region")) AS "duplicate rows" FROM "depots"',
    ],
  ])('of two tables: %s', (question, sql) => expect(sqlOf(question, depots, deliveries)).toBe(sql))

  it('knows names in other letters and with marks in them', () => {
    expect(sqlOf('average 价格 by Größe', goods)).toContain('SELECT "Größe", avg("价格") AS "average 价格"')
    expect(sqlOf('哪个 Größen 的价格 total?', goods)).toContain('sum("价格")')
    expect(sqlOf('How many rows for each a"b?', goods)).toContain('SELECT "a""b", count(*)')
  })

  it('cuts times with a zone as plain ones, and chooses a unit by their range', () => {
    expect(sqlOf('used kwh over time', energy)).toContain(`date_trunc('month', "read_at"::TIMESTAMP)::DATE AS "month"`)
    expect(sqlOf('At which hour of the day is most used?', energy)).toContain('hour("read_at"::TIMESTAMP)')
    const short = table('t', 9, { at: ['TIMESTAMP', { min: '2026-01-01', max: '2026-01-20' }], amount: 'DOUBLE' })
    expect(sqlOf('How did amount change over time?', short)).toContain(`date_trunc('day', "at")`)
  })

  it('about gaps is about every column, and about when where that is asked', () => {
    const { reading } = asked('How many readings are missing, and when?', [energy])
    expect(String(planQueries(reading).main.input.sql)).toContain(
      `SELECT 'used_kwh' AS "column", count(*) - count("used_kwh")`,
    )
    expect(String(planQueries(reading).context?.input.sql)).toContain('FILTER (WHERE "used_kwh" IS NULL)')
  })

  it('about a distribution uses the tools there are for it', () => {
    expect(mainOf('What is the most common rating?', orders)).toMatchObject({
      tool: 'get_value_distribution',
      input: { column: 'rating', table: 'orders' },
    })
    const plan = planQueries(asked('What is the distribution of unit price?', [orders]).reading)
    expect(plan.context).toMatchObject({ tool: 'get_column_stats', input: { column: 'unit_price', table: 'orders' } })
  })

  it('that goes on keeps what was asked before', () => {
    const sqlAfter = (question: string, before: string) =>
      String(planQueries(asked(question, [orders], before).reading).main.input.sql)
    expect(sqlAfter('And by channel?', 'What is the average rating by country?')).toContain('"channel", avg("rating")')
    expect(sqlAfter('And in November?', 'What is the total quantity?')).toContain(
      'sum("quantity") AS "total quantity" FROM "orders" WHERE month',
    )
    expect(sqlAfter('How many orders are there?', 'What is the total quantity?')).toBe(
      'SELECT count(*) AS "rows" FROM "orders"',
    )
  })

  it('is in doubt where a word fits two columns alike, and not where one is named', () => {
    const prices = table('p', 9, { list_price: 'DOUBLE', sale_price: 'DOUBLE', city: 'VARCHAR' })
    expect(asked('What is the average price?', [prices]).doubt).toEqual({ options: ['list_price', 'sale_price'] })
    expect(asked('What is the average list price?', [prices]).doubt).toBeNull()
  })

  const budget = table('Budget_2026', 6, { Department: 'VARCHAR', Planned: 'DOUBLE', Spent: 'DOUBLE' })
  const employees = table('employees', 190, {
    ...{ name: ['VARCHAR', { distinct: 188 }], department: ['VARCHAR', { distinct: 6 }] },
    ...{ salary: 'DOUBLE', remote: 'BOOLEAN', grade: 'VARCHAR' },
  })

  it('is answered by one table where that has all it needs, and compares two of its amounts', () => {
    const spent = 'Which department spent more than planned?'
    for (const tables of [
      [budget, employees],
      [employees, budget],
    ]) {
      expect(sqlOf(spent, ...tables)).toBe(
        `SELECT "Department", sum("Spent" - "Planned") AS "Spent minus Planned" FROM "Budget_2026" ${down}`,
      )
      expect(asked(spent, tables).doubt).toBeNull()
      const chosen = { question: spent, before: null, tables, current: null, chosen: ['department'], values: [] }
      expect(readQuestion(chosen)?.reading.source.join).toBeNull()
    }
    expect(sqlOf('Which department spent less than planned?', budget)).toContain('ORDER BY 2 ASC')
  })

  it('joins nothing that would count a row more than once, and says so', () => {
    const { reading } = asked('What is the total planned by grade?', [budget, employees])
    expect(reading.source.join).toBeNull()
    expect(reading.caveats[0]).toContain('rows of Budget_2026 would count more than once')
    const unknown = table('staff', 190, { department: 'VARCHAR', grade: 'VARCHAR' })
    expect(asked('What is the total planned by grade?', [budget, unknown]).reading.source.join).toBeNull()
    const heads = table('heads', 6, { department: ['VARCHAR', { distinct: 6 }], floor: 'VARCHAR' })
    expect(asked('What is the total planned by floor?', [budget, heads]).reading.source.join).not.toBeNull()
  })

  it('for the highest of a row is about rows, and for what adds up about their total', () => {
    const best = 'max("salary") AS "highest salary"'
    expect(sqlOf('Which name has the highest salary?', employees)).toContain(best)
    expect(sqlOf('Which department has the highest salary?', employees)).toContain(best)
    expect(sqlOf('Which department has the lowest salary?', employees)).toContain('min("salary")')
    expect(sqlOf('Which department has the highest average salary?', employees)).toContain('avg("salary")')
    expect(sqlOf('Which department has the most employees?', employees)).toContain('count(*) AS "number of employees"')
    expect(sqlOf('Which country has the most products?', orders)).toContain(
      'SELECT "country", count(DISTINCT "product")',
    )
    expect(sqlOf('Which country has the highest quantity?', orders)).toContain('sum("quantity")')
    expect(sqlOf('Which country has the highest rating?', orders)).toContain('avg("rating")')
  })

  it('about a number and a yes or no compares the two', () => {
    expect(sqlOf('Is salary related to remote work?', employees)).toContain(
      'SELECT "remote", avg("salary") AS "average salary" FROM "employees" GROUP BY 1',
    )
  })

  it('names the tables where columns of two fit, and takes the answer so', () => {
    const groups = [table('p', 5, { Team: 'VARCHAR' }), table('q', 5, { team: 'VARCHAR' }), orders]
    expect(asked('Total quantity by team', groups).doubt).toEqual({ options: ['p.Team', 'q.team'] })
    const chosen = {
      question: 'Total quantity by team',
      before: null,
      tables: groups,
      current: null,
      chosen: ['q.team'],
      values: [],
    }
    expect(readQuestion(chosen)?.doubt).toBeNull()
  })

  it('says which of its words had no part in the answer', () => {
    const shop = table('shop', 9, { Umsatz: 'DOUBLE', Filiale: 'VARCHAR' })
    const caveats = (question: string, ...tables: readonly KnownTable[]) => asked(question, tables).reading.caveats
    expect(caveats('Which product has the lowest average Umsatz?', shop)).toContain(
      'Not used of the question: product, lowest.',
    )
    expect(caveats('Which Filiale has the lowest average Umsatz?', shop)).toEqual([])
    expect(caveats('Is salary related to remote work?', employees)).toEqual(['Not used of the question: work.'])
    for (const question of [
      ...['How many orders are there?', 'Which products bring the most revenue?', 'Top 3 products by quantity'],
      ...[
        'What share of orders is from DE?',
        'When were the first and the last order?',
        'Compare web and app by quantity',
      ],
      ...['How do returns differ between months?', 'How many orders were not returned in November 2025?'],
    ])
      expect([question, caveats(question, orders)]).toEqual([question, []])
    for (const question of [
      ...['Which region had the most late deliveries in September?', 'Which carrier is the slowest on average?'],
      ...['Which carrier has the heaviest deliveries?', 'How many deliveries did Velox make?'],
    ])
      expect([question, caveats(question, depots, deliveries)]).toEqual([question, []])
  })

  it('means a column with the name of a common word only in quotes, or as a column', () => {
    const letters = table('t', 9, { a: 'VARCHAR', is: 'DOUBLE', amount: 'DOUBLE' })
    expect(sqlOf('What is a total amount?', letters)).toBe('SELECT sum("amount") AS "total amount" FROM "t"')
    expect(sqlOf('What is the total amount by column a?', letters)).toContain('SELECT "a", sum("amount")')
    expect(sqlOf('What is the total of "is"?', letters)).toBe('SELECT sum("is") AS "total is" FROM "t"')
  })

  it('looks for names that no column explains', () => {
    const { names, lookUp } = asked('What is the total quantity in Atlantis?', [orders])
    expect(names).toEqual(['Atlantis'])
    expect(lookUp.map(({ name }) => name)).toContain('country')
    expect(asked('What is the total quantity in November?', [orders]).names).toEqual([])
  })

  it('says what of it is left out', () => {
    expect(asked('Average rating by country and by channel', [orders]).reading.caveats[0]).toContain('grouped by')
    const other = table('weather', 5, { station: 'VARCHAR' })
    expect(asked('total quantity by station', [orders, other]).reading.caveats[0]).toContain(
      'no column of orders seems to join',
    )
  })

  it('about nothing in particular gets an overview of any table', () => {
    const look = (types: readonly string[]) =>
      sqlOf('Tell me about it', table('t', 9, Object.fromEntries(types.map((type, at) => [`c${at}`, type]))))
    expect(look(['VARCHAR', 'DOUBLE'])).toContain('SELECT "c0", sum("c1") AS "total c1"')
    expect(look(['VARCHAR'])).toContain('count(*) AS "number of t"')
    expect(look(['BIGINT'])).toContain('min("c0")')
    expect(look(['BLOB'])).toContain('AS "missing"')
    expect(readQuestion({ question: 'x', before: null, tables: [], current: null, chosen: [], values: [] })).toBeNull()
  })
})
