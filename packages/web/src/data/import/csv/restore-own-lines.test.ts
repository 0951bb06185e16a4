import { describe, expect, it } from 'vitest'
import { restoreOwnLines } from './restore-own-lines.ts'

const columns = [
  { name: 'day', type: 'DATE' },
  { name: 'n', type: 'DOUBLE' },
]
const owned = (text: string, line: number, problem: string) =>
  restoreOwnLines([{ line, column: problem.startsWith('"') ? 'day' : null, problem, text: 'as made ready' }], {
    bytes: new TextEncoder().encode(text),
    delimiter: ';',
    columns,
  })

describe('restoreOwnLines', () => {
  it('shows the line and value of the file instead of the prepared ones', () => {
    const text = 'day;n\n01.02.2025;1,5\n31.02.2025;5.897,52\n'
    expect(owned(text, 3, '"2025-02-31" is not a date')).toEqual([
      { line: 3, column: 'day', problem: '"31.02.2025" is not a date', text: '31.02.2025;5.897,52' },
    ])
    expect(owned(text, 3, '"more than a day: 2025-02-31"')[0]?.problem).toBe('"31.02.2025" is more than a date')
  })

  it.each([
    ['CR only', 'day;n\r1;2\rx;3\r', 3],
    ['several line ends', 'day;n\r\n1;2\rx;3\n', 3],
    ['lines in quotes', 'day;n\n"1\n2";2\nx;3', 4],
  ])('finds the row with %s', (_what, text, line) => {
    expect(owned(text, line, '"y" is not a date')[0]).toMatchObject({ problem: '"x" is not a date', text: 'x;3' })
  })

  it('keeps the reason of a row of a different width', () => {
    expect(owned('day;n\n1\n', 2, '1 columns instead of 2')[0]).toMatchObject({
      problem: '1 columns instead of 2',
      text: '1',
    })
  })
})
