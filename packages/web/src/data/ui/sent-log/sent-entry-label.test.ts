import { expect, it } from 'vitest'
import { sampleAnalysis } from '../../domain/sample-analysis.fixture.ts'
import { byTimeSent, prettyBody, sentEntryLabel, sentLogFile } from './sent-entry-label.ts'

it('names what left and for which step', () => {
  expect(sampleAnalysis.ledger.map(sentEntryLabel)).toEqual(['Question and tables', 'Result of step 3'])
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
  const file: unknown = JSON.parse(sentLogFile(sampleAnalysis))
  expect(file).toMatchObject({
    analysis: 'a-1',
    sent: [{}, { body: '{"rows":[["North",14.8]]}', bytes: 1000, step: 3, rowsKind: 'summary' }],
  })
})
