import { describe, expect, it } from 'vitest'
import { planCsv } from './plan-csv.ts'

const plan = (file: string, text: string) => planCsv(file, [new TextEncoder().encode(text)])

describe('a file of sentences', () => {
  it.each([
    ['one line', 'The meeting of next week is moved to Monday.'],
    ['a few lines', 'The meeting of next week is moved.\nNobody knows to which day.\nAsk at the desk for more.'],
    [
      'a letter',
      'Dear all,\n\nthe meeting, as you know, is moved to Monday because of the weather.\n\nYours, Ann and Bob',
    ],
    ['a note with commas', 'Buy milk, eggs, bread and some butter.\nCall Ann\nThen, after lunch, go for a walk'],
  ])('is refused in words: %s', (_what, text) => {
    expect(() => plan('notes.txt', text)).toThrow('"notes.txt" looks like text, not a table')
  })

  it.each([
    ['a column under its name', 'n.txt', 'note\nthis is a rather long note of somebody\n'],
    [
      'a column of many rows',
      'n.txt',
      'We like this shop a lot\nGood bread and better cake\nToo loud for my old ears\nWell\n',
    ],
    ['names of columns', 'n.txt', 'first name,last name,date of birth'],
    ['words in cells', 'n.txt', 'What do you like?;How often do you come?\nthe bread and the cake;every day\n'],
    ['a name for tables', 'n.csv', 'The meeting of next week is moved to Monday.'],
    ['numbers', 'n.txt', '12\n13\n'],
  ])('is not %s', (_what, file, text) => {
    expect(plan(file, text).columns.length).toBeGreaterThan(0)
  })
})
