import { expect, it } from 'vitest'
import { sampleAnalysis, sampleStep } from '../../analysis/sample-analysis.fixture.ts'
import { byTimeSent, ledgerFile, ledgerWords, prettyBody, sentRowsWords } from './ledger-words.ts'

it('names what left and for which step', () => {
  expect(sampleAnalysis.ledger.map(ledgerWords)).toEqual(['Question and tables', 'Result of step 3'])
})

it('says whose rows left, and in doubt that they are rows of the files', () => {
  const [question, result] = sampleAnalysis.ledger
  if (question === undefined || result === undefined) throw new Error('the sample has both')
  const summary = sampleStep(3, { isSummary: true, startedAt: result.at })
  expect(sentRowsWords(question, [])).toBe('no rows')
  expect(sentRowsWords({ ...question, rows: 5 }, [summary])).toBe('5 rows of your files')
  expect(sentRowsWords({ ...result, rows: 4 }, [summary])).toBe('4 summary rows')
  for (const other of [
    { ...summary, isSummary: false },
    { ...summary, original: 'SELECT *' },
    { ...summary, startedAt: '2999-01-01T00:00:00.000Z' },
  ]) {
    expect(sentRowsWords({ ...result, rows: 1 }, [other])).toBe('1 row of your files')
  }
})

it('lists what left in the order it left, by step where that was the same moment', () => {
  const [, result] = sampleAnalysis.ledger
  if (result === undefined) throw new Error('the sample has one')
  const [late, early] = ['2026-07-01T10:00:02.000Z', '2026-07-01T10:00:01.000Z']
  const ledger = [
    { ...result, step: 12, at: late },
    { ...result, step: 11, at: late },
    { ...result, step: 13, at: early },
  ]
  expect(byTimeSent(ledger).map(({ step }) => step)).toEqual([13, 11, 12])
})

it('shows a body to be read, and exports it exactly as it left', () => {
  expect(prettyBody('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(prettyBody('not json')).toBe('not json')
  const file: unknown = JSON.parse(ledgerFile(sampleAnalysis))
  expect(file).toMatchObject({
    analysis: 'a-1',
    sent: [{}, { body: '{"rows":[["North",14.8]]}', bytes: 1000, step: 3 }],
  })
})
