import { expect, it } from 'vitest'
import { numberText } from './answer-text.ts'
import { composeAnswer } from './compose-answer.ts'

it('says of rows that were kept back what the person chose, not what a model was told', () => {
  const note = 'The person chose to show you counts and names only. Rows are not shown at this privacy level.'
  const main = { step: 2, stepId: 2, columns: ['city'], rows: [], rowCount: 12, note }
  const reading = {
    source: { table: { name: 'sales', columns: [], rowCount: 12 }, join: null },
    ...{ task: { type: 'rows' as const }, filters: [], caveats: [] },
  }
  const results = { main, context: null, more: [], ends: null }
  const { caveats } = composeAnswer({ reading, results, failures: [], caveats: [] })
  expect(caveats).toContain('Only counts and names were sent, as you chose. The rows are in the step.')
  expect(JSON.stringify(caveats)).not.toContain('show you')
})

it.each([
  [2388.64, '2,388.64'],
  [42694.579999999994, '42,694.58'],
  [0.1 + 0.2, '0.3'],
  [1234.5, '1,234.5'],
  [1234.25499, '1,234.3'],
  [1234.255, '1,234.3'],
  [100.125, '100.1'],
  [2.345, '2.35'],
  [-2.345, '-2.35'],
  [0.93286, '0.9329'],
  [7, '7'],
])('says %d as %s', (value, text) => expect(numberText(value)).toBe(text))
