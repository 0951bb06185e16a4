import { describe, expect, it } from 'vitest'
import { planRaw } from '../plan/plan-raw.ts'
import { typeRaw } from '../plan/type-raw.ts'
import { readJson, readNdjson } from './read-json.ts'

const one = (text: string) => {
  const [table] = readJson(text, 't.json')
  if (table === undefined) throw new Error('no table')
  return table
}
const typed = (text: string) => {
  const table = one(text)
  return typeRaw(table, planRaw(table).columns).columns.map(({ name, type, values }) => [name, type, ...values])
}

describe('readJson', () => {
  it('finds columns over all rows: missing keys are null, nested values are text, long numbers exact', () => {
    expect(typed('[{"a":1,"n":{"x":[1, 2]}},{"b":"ü\\n\\u00e9","a":9007199254740993},{}]')).toEqual([
      ['a', 'BIGINT', 1n, 9007199254740993n, null].map((value) => (value === 1n ? 1 : value)),
      ['n', 'VARCHAR', '{"x":[1, 2]}', null, null],
      ['b', 'VARCHAR', null, 'ü\né', null],
    ])
  })

  it('reads columns of several types as text, and dates as dates', () => {
    expect(typed('[{"a":1,"d":"2026-01-31","y":true},{"a":"x","d":"2026-02-01","y":null}]')).toEqual([
      ['a', 'VARCHAR', '1', 'x'],
      ['d', 'DATE', '2026-01-31', '2026-02-01'],
      ['y', 'BOOLEAN', true, null],
    ])
  })

  it('refuses rows with ever new keys before they fill the memory', () => {
    const rows = (count: number, keys: number) =>
      Array.from({ length: count }, (_, index) => `{"k${index % keys}":${index}}`).join('\n')
    expect(() => readNdjson(rows(16_000, 16_000), 'wide.ndjson')).toThrow('has more than 2,000 columns')
    expect(() => readJson(`[${rows(1, 1)},[${'1,'.repeat(2000)}1]]`, 'wide.json')).toThrow(
      'has more than 2,000 columns',
    )
    expect(() => readNdjson(rows(50_000, 2000), 'sparse.ndjson')).toThrow('25,001 rows of 2,000 columns')
  })

  it('aligns a column whose key appears late, twice, or only sometimes', () => {
    expect(typed('[{},{"a":1,"a":2},{"b":3},{"a":4},{}]')).toEqual([
      ['a', 'BIGINT', null, 2, null, 4, null],
      ['b', 'BIGINT', null, null, 3, null, null],
    ])
  })

  it('leaves numbers in quotes as text', () => {
    expect(typed('[{"zip":"01234"},{"zip":"20"}]')).toEqual([['zip', 'VARCHAR', '01234', '20']])
  })

  it('accepts lists of lists, single values, one object, and lists under keys', () => {
    expect(typed('[[1,"a"],[2,"b"]]')).toEqual([
      ['column_1', 'BIGINT', 1, 2],
      ['column_2', 'VARCHAR', 'a', 'b'],
    ])
    expect(typed('[1.5,2]')).toEqual([['value', 'DOUBLE', 1.5, 2]])
    expect(typed('{"a":1,"b":[1,2]}')).toEqual([
      ['a', 'BIGINT', 1],
      ['b', 'VARCHAR', '[1,2]'],
    ])
    expect(readJson('{"ok":true,"users":[{"id":1}],"posts":[ {"id":2}]}', 't.json').map(({ part }) => part)).toEqual([
      'users',
      'posts',
    ])
  })

  it.each([
    ['[{"a":1},\n{"a":}]', 'expected a value in line 2, character 6, but there is "}]"'],
    ['[{"a":1}', 'expected , in line 1, character 9, but the file ends'],
    ['[{"a":"x]', 'expected a closing quote'],
    ['[{"a":[1,}]', 'expected a valid list or object'],
    ['[{"a":1}] x', 'but there is "x"'],
    ['[]', 'no rows'],
    [' ', 'is empty'],
  ])('reports where %j is broken', (text, sentence) => {
    expect(() => readJson(text, 't.json')).toThrow(sentence)
  })
})

describe('readNdjson', () => {
  it('reports the line of a rejected row', () => {
    const table = readNdjson('{"a":1}\n\n{"a":2}\n{"a":"x"}\n', 't.ndjson')
    const { columns, rejectedCount, rejected } = typeRaw(table, [{ sourceName: 'a', name: 'a', type: 'BIGINT' }])
    expect(columns[0]?.values).toEqual([1, 2])
    expect(rejectedCount).toBe(1)
    expect(rejected).toEqual([{ line: 4, column: 'a', problem: '"x" is not a whole number', text: 'x' }])
  })

  it('reports the line of an error', () => {
    expect(() => readNdjson('{"a":1}\n{"a":2\n{"a":3}\n', 't.ndjson')).toThrow(/expected , in line 3, character 1/)
  })
})
