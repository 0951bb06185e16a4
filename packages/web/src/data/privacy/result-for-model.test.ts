import { describe, expect, it } from 'vitest'
import type { Cell } from '../domain/cells.ts'
import { bytesOf, type ModelStepResult, resultForModel } from './result-for-model.ts'

const known = { names: ['t', 'region', 'Größe'], fromCells: false }

const resultOf = (rows: readonly (readonly Cell[])[], names = ['region', 'n']): ModelStepResult => ({
  stepId: 3,
  rowCount: rows.length,
  elapsedMs: 12.4,
  rows,
  columns: names.map((name) => ({ name, type: 'VARCHAR' })),
})
const many = resultOf(Array.from({ length: 1000 }, (_, index) => [`r${index}`, index]))
const show = (result: ModelStepResult, level: number, showsRows = true) =>
  resultForModel(result, { level, showsRows, known, notes: [] })

describe('resultForModel', () => {
  it('has the documented shape', () => {
    expect(show(resultOf([['North', 12n]]), 1).payload).toEqual({
      stepId: 3,
      rowCount: 1,
      truncated: false,
      elapsedMs: 100,
      columns: [
        { name: 'region', type: 'VARCHAR' },
        { name: 'n', type: 'VARCHAR' },
      ],
      rows: [{ region: 'North', n: 12 }],
    })
  })

  it.each([
    [0, 0],
    [1, 100],
    [2, 50],
    [3, 200],
  ])('returns at level %i at most %i rows', (level, rows) => {
    const { payload, rows: sent } = show(many, level)
    expect(payload.rows).toHaveLength(rows)
    expect(sent).toBe(rows)
    expect(payload).toMatchObject({ rowCount: 1000, truncated: true })
    expect(show({ ...many, rowCount: 4711 }, level).payload.rowCount).toBe(level === 0 ? 1000 : 4711)
  })

  it.each([
    [0, 100],
    [99.7, 100],
    [100.1, 1000],
    [12_345, 100_000],
  ])('reports %d ms as at most %d below level 2', (elapsedMs, disclosed) => {
    const elapsedAt = (level: number) => show({ ...many, elapsedMs }, level).payload.elapsedMs
    expect([0, 1, 2, 3].map(elapsedAt)).toEqual([disclosed, disclosed, Math.round(elapsedMs), Math.round(elapsedMs)])
  })

  it('returns no row at level 1 that is neither a summary nor allowed, and says so', () => {
    const { payload } = show(many, 1, false)
    expect(payload.rows).toEqual([])
    expect(payload.note).toContain('not shown at this privacy level')
    expect(show(many, 2, false).rows).toBe(50)
  })

  it.each([1, 2, 3])('stays within the byte limit at level %i, counted as sent', (level) => {
    const cap = level === 3 ? 64_000 : 16_000
    const wide = resultOf(
      Array.from({ length: 300 }, () => Array.from({ length: 60 }, () => '价"\n'.repeat(400))),
      Array.from({ length: 60 }, (_, index) => `价 ${index}`),
    )
    for (const result of [many, wide]) {
      const { payload, bytes } = show(result, level)
      expect(bytes).toBe(Buffer.byteLength(JSON.stringify(payload)))
      expect(bytes).toBeLessThanOrEqual(cap)
    }
    expect(show(wide, level).payload.note).toMatch(/too large to send|within the size limit/)
  })

  it('stays within the limit even with thousands of long columns', () => {
    const names = Array.from({ length: 2000 }, (_, index) => `${'long '.repeat(90)}${index}`)
    for (const level of [0, 1, 2]) {
      const { bytes, payload } = show(resultOf([names], names), level)
      expect(bytes).toBeLessThanOrEqual(16_000)
      expect(payload.note).toMatch(/Only the first \d+ of 2000 columns/)
    }
  })

  it('cuts cells between characters, and converts values that JSON cannot hold', () => {
    const { payload } = show(
      resultOf([
        ['🙂'.repeat(300), 2n ** 70n],
        [null, Number.NaN],
      ]),
      1,
    )
    const [first, second] = payload.rows
    expect(String(first?.region)).toMatch(/^(🙂)+…$/u)
    expect(String(first?.region).length).toBeLessThanOrEqual(256)
    expect(first?.n).toBe('1180591620717411303424')
    expect(second).toEqual({ region: null, n: 'NaN' })
  })

  it('keeps two columns with the same name', () => {
    expect(show(resultOf([[1, 2]], ['a', 'a']), 2).payload.rows).toEqual([{ a: 1, a_1: 2 }])
  })

  it('does not send cells that became column names', () => {
    const pivoted = resultOf([[1, 2, 3, 4]], ['ann@x.com', 'Größe', 'r e g i o n', '----'])
    const columns = pivoted.columns.map((column) => ({ ...column, type: 'STRUCT("ann@x.com" BIGINT)' }))
    const shown = (level: number, fromCells: boolean) =>
      resultForModel({ ...pivoted, columns }, { level, showsRows: false, known: { ...known, fromCells }, notes: [] })
        .payload.columns
    for (const level of [0, 1]) {
      expect(shown(level, true).map(({ name }) => name)).toEqual(['column 1', 'Größe', 'column 3', 'column 4'])
      expect(shown(level, true)[0]?.type).toBe('STRUCT')
      expect(shown(level, false)).toEqual(columns)
    }
    expect(shown(2, true)).toEqual(columns)
  })

  it('does not list the values of a column in its type', () => {
    const columns = [{ name: 'region', type: `STRUCT(a ENUM('ann', 'b)''ob'), b INTEGER)` }]
    for (const level of [0, 1, 3])
      expect(show({ ...resultOf([['x']]), columns }, level).payload.columns[0]?.type).toBe('STRUCT(a ENUM, b INTEGER)')
  })

  it('has no note if nothing is withheld', () => {
    expect(show(resultOf([]), 0).payload).not.toHaveProperty('note')
    expect(bytesOf(show(resultOf([]), 0).payload)).toBeGreaterThan(0)
  })
})
