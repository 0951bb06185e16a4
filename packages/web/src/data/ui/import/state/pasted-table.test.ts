import { expect, it } from 'vitest'
import { planCsv } from '../../../import/csv/plan-csv.ts'
import { defaultPasteName, pastedName } from './pasted-table.ts'

it.each([
  ['region\tsales\nNorth\t3\nSouth\t4', 'pasted.tsv'],
  ['region,sales\n"North, far",3\n', 'pasted.csv'],
  ['a;b\r\n1;2', 'pasted.csv'],
  ['[{"a":1},{"a":2}]', 'pasted.json'],
  ['{"a":1}\n{"a":2}', 'pasted.ndjson'],
])('recognizes a table in the clipboard: %j', (text, name) => {
  expect(pastedName(text)).toBe(name)
})

it.each([
  'How did sales change, and why?',
  'Dear all,\nthe figures are late, again, as always, sorry\nthanks',
  'one line, with commas',
  '[1, 2',
  '',
])('ignores prose: %j', (text) => {
  expect(pastedName(text)).toBeNull()
})

it('treats prose as a table if the user says so, even if a file with it would be refused', () => {
  const text = 'Meeting notes\nWe met on Monday, all of us.\nNothing was decided, as usual.'
  const bytes = [new TextEncoder().encode(text)]
  expect(() => planCsv('notes.txt', bytes)).toThrow('Paste a table')
  expect(planCsv(defaultPasteName(text), bytes).columns).toHaveLength(1)
})
