// Asks one question about a small table. The "database" is a function in this file; a page would query DuckDB.
import { readFileSync } from 'node:fs'
import { createClient } from '@quarterdeck/client'

const sales = [
  { city: 'Oslo', amount: 120 },
  { city: 'Bergen', amount: 80 },
  { city: 'Oslo', amount: 40 },
]
const tables = [
  {
    name: 'sales',
    rowCount: sales.length,
    columns: [
      { name: 'city', type: 'VARCHAR' },
      { name: 'amount', type: 'DOUBLE' },
    ],
  },
]

/** Answers the one query that the simulator sends. */
function runQuery({ sql }) {
  if (!/sum\("amount"\)/.test(sql)) throw new Error(`this database only answers the example query, not: ${sql}`)
  const totals = new Map()
  for (const { city, amount } of sales) totals.set(city, (totals.get(city) ?? 0) + amount)
  return { rows: [...totals].sort((one, other) => other[1] - one[1]) }
}

const [baseUrl = 'http://127.0.0.1:4300', tokenFile = '.quarterdeck/token'] = process.argv.slice(2)
const client = createClient({ baseUrl, token: readFileSync(tokenFile, 'utf8').trim() })
const result = await client.analyze('What is the sum of amount by city in sales?', tables, {
  agent: 'analysis',
  tools: { run_query: runQuery },
  onEvent: (event) => {
    if (event.type === 'tool_call') console.log('query:', event.input.sql)
  },
})
console.log('answer:', result.answer)
console.log('used:', `${result.usage.units} units, $${result.usage.costUsd?.toFixed(4)}`)
