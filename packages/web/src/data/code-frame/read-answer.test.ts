import { describe, expect, it } from 'vitest'
import { CodeFrameError, codeFrameLimits } from './code-frame.ts'
import { readAnswer } from './read-answer.ts'

const read = (value: unknown) => readAnswer(typeof value === 'string' ? value : JSON.stringify(value), codeFrameLimits)
const table = (names: readonly string[], ...rows: readonly (readonly unknown[])[]) => read({ names, rows })
const typesOf = (...cells: readonly unknown[]) => table(['a'], ...cells.map((cell) => [cell])).columns[0]?.type

function problemOf(run: () => unknown): CodeFrameError {
  try {
    run()
  } catch (error) {
    if (error instanceof CodeFrameError) return error
  }
  throw new Error('nothing was refused')
}

describe('an answer of the code frame', () => {
  it('becomes rows with the narrowest type that fits every cell', () => {
    expect(typesOf(1, null, 3)).toBe('BIGINT')
    expect(typesOf(1, 2.5)).toBe('DOUBLE')
    expect(typesOf(1, { bigint: '9007199254740993' })).toBe('BIGINT')
    expect(typesOf({ bigint: '170141183460469231731687303715884105727' })).toBe('HUGEINT')
    expect(typesOf(true, false)).toBe('BOOLEAN')
    expect(typesOf('2026-02-28', null)).toBe('DATE')
    expect(typesOf('2026-02-28', '2026-03-01T10:00:00.000Z')).toBe('TIMESTAMP')
    expect(typesOf('2026-02-30')).toBe('VARCHAR')
    expect(typesOf('2026-02-28T25:00')).toBe('VARCHAR')
    expect(typesOf(1, 'one', true)).toBe('VARCHAR')
    expect(typesOf(null)).toBe('VARCHAR')
  })

  it('has one notation per column', () => {
    expect(table(['a'], ['2026-02-28'], ['2026-03-01 10:00:00.000Z']).rows).toEqual([
      ['2026-02-28T00:00:00'],
      ['2026-03-01T10:00:00'],
    ])
    expect(table(['a'], [1], ['x'], [true], [null]).rows).toEqual([['1'], ['x'], ['true'], [null]])
    expect(table(['a'], [{ bigint: '7' }], [{ bigint: '9007199254740993' }]).rows).toEqual([[7], [9007199254740993n]])
  })

  it('gets unique column names for SQL', () => {
    const { columns } = table(['City', 'city', '', 'CITY'], ['a', 'b', 'c', 'd'])
    expect(columns.map(({ name }) => name)).toEqual(['City', 'city_2', 'column_3', 'CITY_3'])
  })

  it('may be an empty list', () => {
    expect(table([])).toEqual({ columns: [], rows: [] })
  })

  it('is refused unless it is a list of flat records', () => {
    const wrong: readonly unknown[] = [
      ...['', 'words', '[]', '{"names":["a"],"rows":[[1,2]]}', '{"names":["a"],"rows":[[[1]]]}'],
      ...[{ names: [1], rows: [] }, { names: ['a'], rows: [[{ bigint: '1e9' }]] }, { names: ['a'], rows: {} }, null, 7],
    ]
    for (const one of wrong) expect(problemOf(() => read(one)).problem).toBe('invalid')
    expect(problemOf(() => readAnswer(undefined, codeFrameLimits)).problem).toBe('invalid')
  })

  it('is refused beyond the limits', () => {
    const rows = Array.from({ length: codeFrameLimits.rowsOut + 1 }, () => [1])
    expect(problemOf(() => read({ names: ['a'], rows })).problem).toBe('too-large')
    expect(problemOf(() => read('x'.repeat(8_000_000))).problem).toBe('too-large')
  })

  it('reports the thrown error and its line', () => {
    const thrown = problemOf(() => read({ problem: 'threw', message: 'TypeError: no', line: 3 }))
    expect(thrown).toMatchObject({ problem: 'threw', line: 3, message: 'TypeError: no (line 3 of the code)' })
    expect(problemOf(() => read({ problem: 'cancelled', message: 5, line: -1 }))).toMatchObject({
      problem: 'threw',
      line: null,
      message: '5',
    })
  })
})
