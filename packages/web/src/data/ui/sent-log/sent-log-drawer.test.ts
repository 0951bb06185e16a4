import { expect, it } from 'vitest'
import { sampleAnalysis } from '../../domain/sample-analysis.fixture.ts'
import { byTimeSent, prettyBody, sentEntryLabel, sentLogFile } from './sent-log-drawer.tsx'

it('names the sent content and its step', () => {
  expect(sampleAnalysis.sent.map(sentEntryLabel)).toEqual(['Question and tables', 'Result of step 3'])
})

it('sorts by time, and by step within the same moment', () => {
  const [, result] = sampleAnalysis.sent
  if (result === undefined) throw new Error('the sample has one')
  const [late, early] = ['2026-07-01T10:00:02.000Z', '2026-07-01T10:00:01.000Z']
  const sent = [
    { ...result, step: 12, at: late },
    { ...result, step: 11, at: late },
    { ...result, step: 13, at: early },
  ]
  expect(byTimeSent(sent).map(({ step }) => step)).toEqual([13, 11, 12])
})

it('formats a body for display, and exports it exactly as sent', () => {
  expect(prettyBody('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(prettyBody('not json')).toBe('not json')
  const file: unknown = JSON.parse(sentLogFile(sampleAnalysis))
  expect(file).toMatchObject({
    analysis: 'a-1',
    sent: [{}, { body: '{"rows":[["North",14.8]]}', bytes: 1000, step: 3, rowsKind: 'summary' }],
  })
})
