import { expect, it } from 'vitest'
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
