import type { ClientCallId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import type { AnalysisStep } from '../domain/analysis.ts'
import { type Allowed, sourcesOf, whyWithheld } from './step-sources.ts'

const table = (name: string, neverSent: readonly string[] = []) => ({ name, neverSent, source: { fingerprint: name } })
const step = (n: number, code: string, more: Partial<AnalysisStep> = {}): AnalysisStep => ({
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
  ...more,
})
/** As recorded without locks. */
const made = (n: number, code: string, { steps = [], ...more }: Partial<AnalysisStep & Allowed> = {}): AnalysisStep => {
  const one = step(n, code, more)
  return { ...one, from: sourcesOf(one, { steps, tables: [table('pay'), table('other')] }) }
}
const allowed = (more: Partial<Allowed>): Allowed => ({
  steps: [],
  tables: [table('pay'), table('other')],
  scope: ['pay', 'other'],
  ...more,
})

it.each(['SELECT who AS w FROM pay', 'FROM "PAY"', "FROM 'pay'", 'FROM $$pay$$', "FROM e'p\\x61y'"])(
  'withholds a step of %s after a column is locked, and when its table is out of scope',
  (code) => {
    const one = made(1, code)
    expect(whyWithheld(one, allowed({ steps: [one] }))).toBeNull()
    const tables = [table('pay', ['who']), table('other')]
    expect(whyWithheld(one, allowed({ steps: [one], tables }))).toBe('it was created before who of pay was locked')
    expect(whyWithheld(one, allowed({ steps: [one], scope: ['other'] }))).toContain('comes from pay')
    expect(whyWithheld(one, allowed({ steps: [one], tables: [table('other')] }))).toContain('comes from pay')
  },
)

it('withholds steps that depend on it in any way, and no others', () => {
  const one = made(1, 'FROM pay')
  const tables = [table('pay', ['who']), table('other')]
  const kept = (next: AnalysisStep) => whyWithheld(next, allowed({ steps: [one, next], tables }))
  expect(kept(made(2, 'FROM step_1', { reads: [1], steps: [one] }))).toContain('before who of pay')
  expect(kept(made(2, "FROM 'Step_1'", { steps: [one] }))).toContain('before who of pay')
  expect(kept(made(2, 'return data', { language: 'javascript', reads: [1], steps: [one] }))).toContain(
    'before who of pay',
  )
  expect(kept(made(2, "FROM other WHERE a = 'pays' -- pay", { steps: [one] }))).toBeNull()
})

it('shows a step that ran since, but not an old one without recorded sources', () => {
  const tables = [table('pay', ['Who']), table('other')]
  const again = step(1, 'FROM pay')
  const from = sourcesOf(again, { steps: [], tables: [table('pay', ['who']), table('other')] })
  expect(whyWithheld({ ...again, from }, allowed({ tables }))).toBeNull()
  expect(whyWithheld(again, allowed({ tables }))).toContain('before Who of pay')
  expect(whyWithheld(again, allowed({}))).toBeNull()
})

it('treats a renamed table as the same', () => {
  const one = made(1, 'FROM pay')
  const renamed = { ...table('wages'), source: { fingerprint: 'pay' } }
  expect(whyWithheld(one, allowed({ tables: [renamed], scope: ['wages'] }))).toBeNull()
  expect(whyWithheld(one, allowed({ tables: [renamed], scope: [] }))).not.toBeNull()
})
