import { expect, it } from 'vitest'
import { resultsOf } from './soak-file.mjs'
import { renderReport, summaryOf, verdictOf } from './soak-report.mjs'

const ended = { isOutOfTime: false, isStopped: false }

const test = (status: string, fullName: string, failureMessages: string[] = []) => ({
  status,
  fullName,
  failureMessages,
  duration: 1500,
})

const fileOf = (...assertionResults: ReturnType<typeof test>[]) => ({
  ...resultsOf({ testResults: [{ status: 'passed', assertionResults }] }, { code: 0, ...ended }),
  name: 'faults-server',
  durationMs: 90_000,
  memory: { beforeMiB: 9000, afterMiB: 8990 },
  facts: [{ what: 'random kills', facts: { kills: 150 } }],
})

it('reports that every promise held, with the measurements', () => {
  const file = fileOf(test('passed', 'kills lose nothing'))
  expect(verdictOf([file])).toBe('every promise held')
  expect(summaryOf(file)).toBe('1 held in 1.5 min')
  const report = renderReport({ startedAt: 'then', endedAt: 'now', verdict: verdictOf([file]), files: [file] })
  expect(report).toContain('**every promise held.** From then to now.')
  expect(report).toContain('random kills: kills 150')
})

it('separates tests that took too long from broken ones', () => {
  const slow = fileOf(test('failed', 'slow one', ['Error: Test timed out in 5000ms.']))
  expect(slow).toMatchObject({ broken: [], unfinished: ['slow one'] })
  expect(verdictOf([slow])).toBe('every tested promise held; 1 not finished')
  const broken = fileOf(test('failed', 'lost one', ['AssertionError: expected 1 to be 2']))
  expect(verdictOf([slow, broken])).toBe('1 promise is broken')
  expect(renderReport({ startedAt: '', endedAt: '', verdict: '', files: [broken] })).toContain('expected 1 to be 2')
})

it('counts a run that ends badly without a failed test as broken, unless its time was up', () => {
  const report = { testResults: [] }
  expect(resultsOf(report, { code: 1, ...ended }).broken).toHaveLength(1)
  expect(resultsOf(null, { code: 1, ...ended }).broken).toHaveLength(1)
  expect(resultsOf(null, { code: 1, ...ended, isOutOfTime: true })).toMatchObject({
    broken: [],
    unfinished: ['the rest of the file'],
  })
  const unreadable = { testResults: [{ status: 'failed', message: 'cannot be imported', assertionResults: [] }] }
  expect(resultsOf(unreadable, { code: 1, ...ended }).broken).toEqual([
    { test: 'the file itself', message: 'cannot be imported' },
  ])
})

it('names skipped tests, and does not count an empty run as success', () => {
  const some = fileOf(test('passed', 'kills lose nothing'), test('pending', 'a small disk'))
  expect(verdictOf([some])).toBe('every tested promise held; 1 skipped (a small disk)')
  const none = { ...fileOf(test('skipped', 'a small disk')), name: 'faults-store' }
  expect(verdictOf([none])).toBe('no promise was tried; 1 skipped (a small disk); nothing ran in faults-store')
  expect(verdictOf([fileOf(test('passed', 'kills lose nothing')), { ...fileOf(), name: 'faults-store' }])).toBe(
    'every tested promise held; nothing ran in faults-store',
  )
  expect(verdictOf([])).toBe('no promise was tried')
})

it('reports that it was stopped, which is neither broken nor slow', () => {
  const stopped = resultsOf(null, { code: 130, ...ended, isStopped: true })
  expect(stopped).toMatchObject({ broken: [], unfinished: ['the rest of the file, which was stopped'] })
  const whole = fileOf(test('passed', 'kills lose nothing'))
  expect(verdictOf([whole, { ...whole, ...stopped, name: 'kill-server' }])).toBe(
    'every tested promise held; 1 not finished; nothing ran in kill-server; it was stopped',
  )
})
