import { describe, expect, it } from 'vitest'
import { csvRows } from './csv-rows.ts'
import { detectDelimiter, isProse } from './detect-csv-shape.ts'

/** The first line is read as a possible header. */
function isProseOf(file: string, text: string): boolean {
  const { rows } = csvRows(text, { delimiter: detectDelimiter(text), maxRows: 1000 })
  return isProse({ file, rows, width: rows[0]?.length ?? 0 })
}

const lines = (count: number, line: string): readonly string[] => Array<string>(count).fill(line)

/** A first line and 20 more. Three of these have two cells, like "Dear Ms Smith,". */
const letter = (first: string): string =>
  [
    first,
    ...lines(3, 'We thank you for your letter, which came on Monday.'),
    ...lines(10, 'It has been read by all of us with great joy.'),
    ...lines(7, 'The house, the garden, and the dog are all doing well.'),
  ].join('\n')

describe('isProse', () => {
  it.each([
    ['one line', 'The meeting of next week is moved to Monday.'],
    ['a few lines', 'The meeting of next week is moved.\nNobody knows to which day.\nAsk at the desk for more.'],
    ['a short letter', 'Dear all,\n\nthe meeting, as you know, is moved because of the weather.\n\nYours, Ann and Bob'],
    ['a letter', letter('Dear Ms Smith,')],
    ['a letter to two', letter('Dear Ann, dear Bob')],
    ['a note with commas', 'Buy milk, eggs, bread and some butter.\nCall Ann\nThen, after lunch, go for a walk'],
    ['a note with a title', 'Meeting notes\nWe met on Monday, all of us.\nNothing was decided, as usual.'],
    [
      'a long note with a title',
      ['Meeting notes', ...lines(17, 'We met again, all of us.'), ...lines(3, 'Nothing was decided.')].join('\n'),
    ],
  ])('is true for %s', (_what, text) => {
    expect(isProseOf('notes.txt', text)).toBe(true)
  })

  it.each([
    ['a column under its name', 'note\nthis is a rather long note of somebody\n'],
    ['a column of many rows', 'We like this shop a lot\nGood bread and better cake\nToo loud for my old ears\nWell\n'],
    ['names of columns', 'first name,last name,date of birth'],
    ['words in cells', 'What do you like?;How often do you come?\nthe bread and the cake;every day\n'],
    ['numbers', '12\n13\n'],
    [
      'a small table with ragged rows',
      [
        'What do you like?,How often do you come?,Where do you live?',
        ...lines(10, 'the bread and the cake,every day,near the old town'),
        ...lines(2, 'the bread, the cake,every day,near the old town'),
      ].join('\n'),
    ],
    ['a ragged table of few words', 'name,tag\nann,a,b,c\nbob,x,y\ncarol,z\n'],
    ['a column with a comma here and there', ['note', ...lines(6, 'much too loud'), 'loud, but good'].join('\n')],
  ])('is false for %s', (_what, text) => {
    expect(isProseOf('n.txt', text)).toBe(false)
  })

  it.each(['n.csv', 'N.CSV', 'n.tsv', 'n.tab', 'n.csv.gz'])(
    'is false for a file with a table extension: %s',
    (file) => {
      expect(isProseOf(file, letter('Dear Ms Smith,'))).toBe(false)
    },
  )
})
