import { expect, it } from 'vitest'
import { sampleAnalysis } from '../../analysis/sample-analysis.fixture.ts'
import { ledgerFile, ledgerWords, prettyBody } from './ledger-words.ts'

it('names what left and for which step', () => {
  expect(sampleAnalysis.ledger.map(ledgerWords)).toEqual(['Question and tables', 'Result of step 3'])
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
