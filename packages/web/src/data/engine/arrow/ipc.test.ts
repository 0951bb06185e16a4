import { describe, expect, it } from 'vitest'
import { rowsFromIpc, toIpc } from './ipc.ts'

const roundTrip = (type: string, values: Parameters<typeof toIpc>[0][number]['values']) => {
  const { columns, rows } = rowsFromIpc(toIpc([{ name: 'v', type, values }]))
  return [columns[0]?.type, rows.map(([cell]) => cell)]
}

describe('rows as Arrow', () => {
  it.each<[type: string, back: string, values: Parameters<typeof roundTrip>[1]]>([
    ['BIGINT', 'BIGINT', [1, null, 9007199254740993n, -3]],
    ['INTEGER', 'INTEGER', [-(2 ** 31) + 1, null, 7]],
    ['UBIGINT', 'UBIGINT', [18446744073709551615n, null]],
    ['HUGEINT', 'DECIMAL(38,0)', [-5, null, 170141183460469231731687303715884105727n]],
    ['DOUBLE', 'DOUBLE', [1.5, null, Number.NaN, Number.NEGATIVE_INFINITY]],
    ['DECIMAL(10,2)', 'DOUBLE', [1.25, null]],
    ['BOOLEAN', 'BOOLEAN', [true, false, null, true, true, true, true, true, true]],
    ['DATE', 'DATE', ['2024-02-29', null, '1969-12-31', '0001-01-01', '-000043-03-15']],
    ['TIMESTAMP', 'TIMESTAMP', ['2024-02-29T12:34:56.789123', null, '1969-12-31T23:59:59']],
    ['TIMESTAMP WITH TIME ZONE', 'TIMESTAMP WITH TIME ZONE', ['2024-02-29T12:34:56Z', null]],
    ['TIME', 'TIME', ['12:34:56.000001', null, '00:00:00']],
    ['VARCHAR', 'VARCHAR', ['Größe 价格 😀', null, '']],
    ['INTEGER[]', 'VARCHAR', ['[1,2]', null]],
    ['BIGINT', 'BIGINT', []],
  ])('returns %s as %s', (type, back, values) => {
    expect(roundTrip(type, values)).toEqual([back, values])
  })

  it('converts timestamps with a zone to UTC', () => {
    expect(roundTrip('TIMESTAMP', ['2024-02-29 12:34:56+02:30', '2024-02-29'])).toEqual([
      'TIMESTAMP',
      ['2024-02-29T10:04:56', '2024-02-29T00:00:00'],
    ])
  })

  it('rejects values that do not fit their column', () => {
    expect(() => roundTrip('BIGINT', [1.5])).toThrow('column "v" has type BIGINT and cannot hold "1.5"')
    expect(() => roundTrip('DATE', ['tomorrow'])).toThrow(RangeError)
    expect(() => roundTrip('BOOLEAN', ['yes'])).toThrow(RangeError)
  })
})
