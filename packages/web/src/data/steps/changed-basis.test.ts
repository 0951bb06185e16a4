import { expect, it } from 'vitest'
import { sampleRun, sampleStep } from '../domain/sample-analysis.fixture.ts'
import { changedBasis } from './changed-basis.ts'

it('finds changed steps that an answer is based on, directly or through others', () => {
  const all = [sampleStep(1), sampleStep(2, { reads: [1] }), sampleStep(3, { reads: [2] }), sampleStep(4)]
  const run = { ...sampleRun, steps: all }
  expect(changedBasis(run, all)).toEqual([])
  const edited = all.map((step) => (step.n === 1 ? { ...step, original: 'SELECT 0' } : step))
  expect(changedBasis(run, edited)).toEqual([1])
  const waiting = edited.map((step) => (step.n === 2 ? { ...step, state: 'stale' as const } : step))
  expect(changedBasis(run, waiting)).toEqual([1])
  const stale = all.map((step) => (step.n === 2 ? { ...step, state: 'stale' as const } : step))
  expect(changedBasis(run, stale)).toEqual([2])
  const elsewhere = all.map((step) => (step.n === 4 ? { ...step, state: 'stale' as const } : step))
  expect(changedBasis(run, elsewhere)).toEqual([])
  expect(changedBasis({ ...run, answer: null }, edited)).toEqual([])
})
