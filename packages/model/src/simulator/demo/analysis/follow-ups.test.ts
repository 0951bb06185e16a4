import { expect, it } from 'vitest'
import { followUps } from './follow-ups.ts'

it('asks nothing about columns with one value, groups of one row each, days as groups, or pay along hire dates', () => {
  const columns = [
    { name: 'name', type: 'VARCHAR', summary: { distinct: 40 } },
    { name: 'Datum', type: 'VARCHAR', summary: { distinct: 12 } },
    { name: 'hours', type: 'DOUBLE', summary: { distinct: 1 } },
    { name: 'hire_date', type: 'DATE', summary: { distinct: 30 } },
    { name: 'salary', type: 'DOUBLE', summary: { distinct: 25 } },
  ]
  const asked = (more: typeof columns) =>
    followUps({
      source: { table: { name: 'employees', rowCount: 40, columns: [...columns, ...more] }, join: null },
      ...{ task: { type: 'rows' }, filters: [], caveats: [] },
    })
  expect(asked([])).toEqual(['What is the distribution of salary?', 'Are there duplicate rows in employees?'])
  expect(asked([{ name: 'branch', type: 'VARCHAR', summary: { distinct: 4 } }])[0]).toBe(
    'Which branch has the most employees?',
  )
})
