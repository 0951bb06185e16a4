import type { ClientCallId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import type { AnalysisStep } from '../domain/analysis.ts'
import { stepSize } from './step-size.ts'

const step = (n: number, code: string): AnalysisStep => ({
  n,
  callId: `c${n}` as ClientCallId,
  tool: 'run_query',
  thought: '',
  language: 'sql',
  code,
  original: code,
  reads: [],
  state: 'ok',
  rowCount: 1,
  elapsedMs: 1,
  sent: null,
  error: null,
  startedAt: '',
})
const tables = [
  { name: 'staff', rowCount: 40, columns: [] },
  { name: 'orders', rowCount: 2400, columns: [] },
  { name: 'visits', rowCount: 9, columns: [] },
]

it.each([
  ['SELECT * FROM orders', 2400],
  ['SELECT * FROM orders -- visits', 2400],
  ['SELECT * FROM "Orders" JOIN staff ON true', 40],
  ["SELECT * FROM 'staff', orders", 40],
  ['SELECT * FROM step_1', 40],
  ["FROM e'step\\x5f1'", 9],
  ["SELECT s.* FROM e'staf\\x66' s, range(100) -- orders", 9],
  ["SELECT s.* FROM e'staf\\x66' s, range(100) orders", 9],
  ['SELECT 1 /* orders */', 9],
])('counts for %s %i source rows', (code, rows) => {
  expect(stepSize(2, [step(1, 'FROM staff'), step(2, code)], tables)).toBe(rows)
})
