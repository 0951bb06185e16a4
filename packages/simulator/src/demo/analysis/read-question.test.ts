import { describe, expect, it } from 'vitest'
import type { KnownTable } from './known-tables.ts'
import { isRefusal, readQuestion } from './read-question.ts'

const table = (name: string, columns: Readonly<Record<string, string>>, rowCount = 100): KnownTable => ({
  name,
  rowCount,
  columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
})
const sales = table('sales', {
  city: 'VARCHAR',
  region: 'VARCHAR',
  amount: 'DOUBLE',
  amount_net: 'DECIMAL(18,3)',
  'Unit price': 'DOUBLE',
  sold_on: 'DATE',
  sent_at: 'TIMESTAMP WITH TIME ZONE',
  is_late: 'BOOLEAN',
  tags: 'VARCHAR[]',
})
const sqlOf = (question: string, tables: readonly KnownTable[] = [sales]): string | undefined => {
  const read = readQuestion(question, tables)
  return isRefusal(read) ? `refused: ${read.reason}` : read.steps[0]?.sql
}

describe('readQuestion', () => {
  it.each([
    ['How many rows are in sales?', 'SELECT count(*) AS "rows" FROM "sales"'],
    ['how many rows does sales have', 'SELECT count(*) AS "rows" FROM "sales"'],
    ['How many rows are there?', 'SELECT count(*) AS "rows" FROM "sales"'],
    ['Describe sales', 'DESCRIBE "sales"'],
    ['List the columns of sales', 'DESCRIBE "sales"'],
    ['Which columns does sales have?', 'DESCRIBE "sales"'],
    ['Show me the first five rows of sales', 'SELECT * FROM "sales" LIMIT 5'],
    ['What is the total amount?', 'SELECT sum("amount") AS "sum of amount" FROM "sales"'],
    ['Average of amount net in sales', 'SELECT avg("amount_net") AS "average of amount_net" FROM "sales"'],
    ['What is the highest "unit price" in sales?', 'SELECT max("Unit price") AS "maximum of Unit price" FROM "sales"'],
    ['What is the latest sold_on?', 'SELECT max("sold_on") AS "latest of sold_on" FROM "sales"'],
    [
      'What is the average amount by city in sales?',
      'SELECT "city", avg("amount") AS "average of amount" FROM "sales" GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1',
    ],
    [
      'Sum of amount in sales by month of sold_on',
      `SELECT date_trunc('month', "sold_on")::DATE AS "month", sum("amount") AS "sum of amount" FROM "sales" WHERE "sold_on" IS NOT NULL GROUP BY 1 ORDER BY 1`,
    ],
    [
      'Count by is_late in sales',
      'SELECT "is_late", count(*) AS "number of rows" FROM "sales" GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1',
    ],
    [
      'Top 3 city by total amount in sales',
      'SELECT "city", sum("amount") AS "sum of amount" FROM "sales" WHERE "city" IS NOT NULL GROUP BY 1 HAVING sum("amount") IS NOT NULL QUALIFY rank() OVER (ORDER BY sum("amount") DESC) <= 3 ORDER BY 2 DESC, 1',
    ],
  ])('plans %s', (question, sql) => expect(sqlOf(question)).toBe(sql))

  it.each([
    'What is the average city in sales?',
    'Sum of is_late in sales',
    'Maximum of region',
    'Average of sold_on',
    'Sum of tags',
  ])('refuses an aggregate that the type of the column does not allow: %s', (question) => {
    expect(sqlOf(question)).toMatch(/^refused: Column .+ has the type .+ needs (numbers|numbers, dates or times)\.$/)
  })

  it('refuses the latest value of a number', () => {
    expect(sqlOf('What is the latest amount?')).toBe(
      'refused: Column amount has the type DOUBLE: the latest needs dates or times.',
    )
  })

  it('refuses the month of a timestamp with a time zone, and of a text', () => {
    expect(sqlOf('Count rows by month of sent_at')).toContain('refused: Column sent_at')
    expect(sqlOf('Count rows by month of city')).toContain('refused: Column city')
  })

  it.each([
    'And by month?',
    'sum of amount in sales without Oslo',
    'sum of amount > 5',
    'Top 3 city by amount',
    'average amounts by city',
    'average amount by city and region',
    'hello',
    '',
  ])('refuses a question with a word that no pattern matches: %s', (question) => {
    expect(sqlOf(question)).toBe('refused: ')
  })

  it('refuses a column that two tables have, unless the table is named', () => {
    const other = table('returns', { amount: 'DOUBLE' })
    expect(sqlOf('Sum of amount', [sales, other])).toContain('more than one way')
    expect(sqlOf('How many rows are there?', [sales, other])).toContain('more than one way')
    expect(sqlOf('Sum of amount in returns', [sales, other])).toBe(
      'SELECT sum("amount") AS "sum of amount" FROM "returns"',
    )
    expect(sqlOf('Sum of city in returns', [sales, other])).toBe('refused: ')
  })

  it('refuses names that differ only in underscores, and words that are also names', () => {
    const alike = table('alike', {
      unit_price: 'DOUBLE',
      'unit price': 'DOUBLE',
      price: 'DOUBLE',
      'average price': 'DOUBLE',
    })
    expect(sqlOf('Sum of unit price', [alike])).toContain('more than one way')
    expect(sqlOf('What is the average price?', [alike])).toBe(
      'refused: average price is also the name of a table or a column here.',
    )
    expect(sqlOf('Sum of average price', [alike])).toBe(
      'SELECT sum("average price") AS "sum of average price" FROM "alike"',
    )
  })

  it('escapes quotes in names', () => {
    const odd = table('a "b"', { 'c "d"': 'DOUBLE' })
    expect(sqlOf('Sum of c "d" in a "b"', [odd])).toBe('SELECT sum("c ""d""") AS "sum of c ""d""" FROM "a ""b"""')
  })

  it('answers the questions of a sample only for the sample as it ships', () => {
    const question = 'Which products bring the most revenue?'
    const columns = Object.fromEntries(
      'order_id ordered_on channel country product category quantity unit_price discount returned rating'
        .split(' ')
        .map((name) => [name, 'DOUBLE']),
    )
    expect(sqlOf(question, [table('orders', columns, 8000)])).toContain('AS "revenue"')
    expect(sqlOf(question, [table('orders', columns, 7999)])).toBe('refused: ')
    expect(sqlOf(question, [table('orders', columns, 8000), sales])).toBe('refused: ')
  })
})
