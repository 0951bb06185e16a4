// The tools with a scripted database.
import type { PrivacyLevel } from '@quarterdeck/protocol'
import type { Cell, Rows } from '../domain/cells.ts'
import type { QueryEngine, QueryOptions, TableFacts } from '../domain/query-engine.ts'
import { createMemoryStepRecorder } from '../steps/memory-step-recorder.fixture.ts'
import { createAnalysisTools } from './create-analysis-tools.ts'

const facts = (name: string, columns: readonly string[], neverSent: readonly string[] = []): TableFacts => ({
  name,
  rowCount: 1000,
  neverSent,
  columns: columns.map((column) => ({ name: column, type: column === 'total' ? 'DOUBLE' : 'VARCHAR' })),
})
const tables = [
  facts('orders', ['id', 'total', 'region', 'a"b', 'email'], ['email']),
  facts('Größen', ['Größe', '价格', 'Price ($)', 'region']),
  facts('salaries', ['person', 'pay']),
]

export const rowsOf = (names: readonly string[], ...rows: readonly (readonly Cell[])[]): Rows => ({
  columns: names.map((name) => ({
    name,
    type: typeof rows[0]?.[names.indexOf(name)] === 'number' ? 'BIGINT' : 'VARCHAR',
  })),
  rows,
})
export const planOf = (below: object) =>
  JSON.stringify({ children: [{ operator_type: 'EXPLAIN_ANALYZE', extra_info: {}, children: [below] }] })
export const scan = {
  operator_type: 'TABLE_SCAN',
  operator_cardinality: 1000,
  operator_rows_scanned: 1000,
  extra_info: { Table: 'orders' },
}
const grouped = {
  operator_type: 'HASH_GROUP_BY',
  operator_cardinality: 2,
  children: [scan],
  extra_info: { Groups: '#0', Aggregates: 'count_star()' },
}

interface Setting {
  level: PrivacyLevel
  scope: readonly string[]
  answer: (sql: string) => Rows
  plan: string
  rowsAnswer: 'allow' | 'summary'
  transform: () => Rows
}

export function openTools() {
  const setting: Setting = {
    level: 2,
    scope: ['orders', 'Größen'],
    plan: planOf(grouped),
    rowsAnswer: 'allow',
    answer: () => rowsOf(['region', 'n'], ['North', 12], ['South', 9]),
    transform: () => rowsOf(['x'], [1]),
  }
  const reads: { sql: string; options: QueryOptions }[] = []
  const stored: number[] = []
  const asked: object[] = []
  const recorder = createMemoryStepRecorder()
  const engine = {
    tables: async () => tables,
    async read(sql: string, options: QueryOptions) {
      reads.push({ sql, options })
      const rows = setting.answer(sql)
      return { ...rows, rowCount: rows.rows.length, elapsedMs: 3.2, ipc: new Uint8Array(1) }
    },
    plan: async () => setting.plan,
    storeStep: async (n: number) => void stored.push(n),
  }
  const tools = createAnalysisTools({
    engine: engine as unknown as QueryEngine, // the tools do not use the other parts
    codeFrame: { run: async () => setting.transform() },
    toIpc: () => new Uint8Array(1),
    level: () => setting.level,
    scope: () => setting.scope,
    steps: recorder,
    ask: {
      question: async (question) => {
        asked.push(question)
        return 'the second'
      },
      rows: async (rows) => {
        asked.push(rows)
        return setting.rowsAnswer
      },
    },
  })
  let calls = 0
  const call = async (name: string, input: object, id = `call-${++calls}`) =>
    tools[name]?.(input as never, {
      id,
      signal: new AbortController().signal,
      onlyWhile: () => undefined,
    }) as Promise<never>
  return { setting, reads, stored, asked, recorder, call }
}
