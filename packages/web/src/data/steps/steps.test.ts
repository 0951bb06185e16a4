import type { ClientCallId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AnalysisStep } from '../domain/analysis.ts'
import { sqlNames } from '../sql/sql-names.ts'
import { readersOf, rerunOrder } from './stale-steps.ts'
import { readsOfSql, readsOfTransform } from './step-reads.ts'
import { hasNamesFromCells } from './step-texts.ts'
import { stepTitle } from './step-title.ts'

const step = (n: number, reads: readonly number[], state: AnalysisStep['state'] = 'ok'): AnalysisStep => ({
  n,
  reads,
  state,
  callId: `call-${n}` as ClientCallId,
  tool: 'run_query',
  thought: '',
  language: 'sql',
  code: '',
  original: '',
  rowCount: 1,
  elapsedMs: 1,
  sent: null,
  error: null,
  startedAt: '',
})

describe('the steps that a query reads', () => {
  it.each([
    ['FROM step_3', [3]],
    ['select * from STEP_2 a join "step_10" b using (x), step_2', [2, 10]],
    ["select 'step_1', 'it''s step_2' -- step_3\n/* step_4 /* step_5 */ step_6 */ from step_7", [7]],
    ['select $$ step_1 $$, $a$ step_2 $b$ $a$ from t', []],
    ["select e'\\' step_1', 1 from step_2", [2]],
    ['select step_x, my_step_1, step_1a, step_0, step_01 from t', []],
    ['select 1 from "a""step_1"', []],
    ['select * from step_1step_2', []],
    ["from 'step_1' join /* x */ e'step\\x5f2' on a = 'step_3'", [1, 2]],
  ])('are found in %s', (sql, reads) => {
    expect(readsOfSql(sql)).toEqual(reads)
  })

  it('include names in any script, and quoted names without quotes', () => {
    expect(sqlNames('SELECT "a""b", Größe, 价格 FROM t')).toEqual(['SELECT', 'a"b', 'Größe', '价格', 'FROM', 't'])
  })

  it('stop at an unterminated string', () => {
    expect(sqlNames("select 'open")).toEqual(['select'])
    expect(sqlNames('select /* open')).toEqual(['select'])
    expect(sqlNames('select $$open')).toEqual(['select'])
  })
})

describe('the steps that a transform reads', () => {
  it.each([
    ['data.map(row => row)', [2]],
    ['return allSteps[1].concat(allSteps[ 3 ], allSteps["step_4"])', [2, 1, 3, 4]],
    ['return Object.values(allSteps).flat()', [2, 1, 3, 4, 5]],
    ['return allSteps[1].concat(allSteps[n])', [2, 1, 3, 4, 5]],
  ])('are found in %s', (code, reads) => {
    expect(readsOfTransform(code, 2, [1, 2, 3, 4, 5])).toEqual(reads)
  })
})

describe('dependent steps', () => {
  const steps = [step(1, []), step(2, [1]), step(3, []), step(4, [2, 3]), step(5, [3]), step(6, [1], 'error')]

  it('are all steps that read it, directly or through others', () => {
    expect(readersOf(steps, 1)).toEqual([2, 4, 6])
    expect(rerunOrder(steps, 3)).toEqual([3, 4, 5])
    expect(readersOf(steps, 5)).toEqual([])
  })

  it('run after what they read, even if an edit made an earlier step read a later one', () => {
    expect(rerunOrder([step(1, []), step(2, [3]), step(3, [1])], 1)).toEqual([1, 3, 2])
    expect(rerunOrder([step(1, [2]), step(2, [1])], 1)).toEqual([1, 2])
  })

  it('are sorted by number, not by text', () => {
    const twelve = Array.from({ length: 12 }, (_, index) => step(index + 1, index === 0 ? [] : [1]))
    expect(readersOf(twelve, 1)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  })
})

describe('the title of a step', () => {
  it.each([
    ['Find late deliveries by region. Then compare with carriers.', 'Find late deliveries by region'],
    ['  count\n all rows ', 'count all rows'],
    ['', 'A query'],
    ['See how e.g. North does', 'See how e.g. North does'],
  ])('is short for %j', (thought, title) => {
    expect(stepTitle({ thought, tool: 'run_query' })).toBe(title)
  })

  it('has a length limit', () => {
    expect(stepTitle({ thought: 'word '.repeat(100), tool: 'run_query' }).length).toBeLessThanOrEqual(141)
  })
})

describe('column names', () => {
  const step = (code: string, n?: number) => ({ language: 'sql' as const, code, original: code, ...(n ? { n } : {}) })
  it.each([
    ['SELECT region AS a FROM t UNPIVOT', false],
    ['PIVOT t ON note USING count(*)', true],
    ['FROM t pivot (sum(x) FOR y IN (1))', true],
    ['SELECT * FROM "STEP_2"', true],
    ['SELECT COLUMNS(*) FROM step_3', true],
    ['SELECT * FROM step_4', true],
    ["FROM e'step\\x5f3' LIMIT 0", true],
    ["FROM e'st\\145p_\\x32'", true],
    ['SELECT * FROM step_1', false],
  ])('of %s contain cells: %s', (code, isSo) => {
    const steps = [step('FROM t', 1), step('PIVOT t ON a', 2), step('SELECT * FROM step_2', 3)]
    const code4 = { language: 'javascript' as const, code: 'data', n: 4 }
    expect(hasNamesFromCells(step(code), [...steps, code4])).toBe(isSo)
  })
})
