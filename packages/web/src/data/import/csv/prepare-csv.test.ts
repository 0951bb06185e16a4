import { describe, expect, it } from 'vitest'
import { isReadyCsv } from './is-ready-csv.ts'
import { prepareCsv, rewriteCsv } from './prepare-csv.ts'

const prepared = (text: string, columns: Parameters<typeof prepareCsv>[0]['columns'], delimiter = ',') =>
  new TextDecoder().decode(prepareCsv({ bytes: new TextEncoder().encode(text), delimiter, hasHeader: true, columns }))

const text = { type: 'VARCHAR' }
const whole = { type: 'BIGINT' }

describe('prepareCsv', () => {
  it('returns the same bytes when nothing has to change', () => {
    const bytes = new TextEncoder().encode('a,b\r\n1,x\r\n-2,"y, z"\r\n')
    expect(prepareCsv({ bytes, delimiter: ',', hasHeader: true, columns: [whole, text] })).toBe(bytes)
  })

  it('normalizes line ends except those in quotes', () => {
    expect(prepared('a,b\n1,x\r\n2,"p\r\nq"\r3,z', [whole, text])).toBe('a,b\n1,x\n2,"p\r\nq"\n3,z')
    expect(prepared('a\r1\r2\r', [whole])).toBe('a\n1\n2\n')
  })

  it('writes dates and numbers as SQL does, in their columns only', () => {
    const columns = [
      { type: 'DATE', reading: { dates: 'day-first' } } as const,
      text,
      { type: 'DOUBLE', reading: { decimals: 'comma' } } as const,
    ]
    expect(prepared('d;t;n\n31.12.2026;31.12.2026;1.234,5\n01.02.2026;;"7,5"\n', columns, ';')).toBe(
      'd;t;n\n2026-12-31;31.12.2026;1234.5\n2026-02-01;;7.5\n',
    )
  })

  it('changes values that SQL would round, with quotes where needed', () => {
    expect(prepared('n,t\n1.5,a\n2,b\n', [whole, text])).toBe('n,t\n1.5 (not a whole number),a\n2,b\n')
    expect(prepared('n;t\n1,5;a\n', [{ type: 'BIGINT', reading: { decimals: 'comma' } }, text], ';')).toBe(
      'n;t\n1.5 (not a whole number);a\n',
    )
  })

  it('leaves empty cells unchanged, even in quotes', () => {
    const bytes = new TextEncoder().encode('n,d,t\n,,\n"","",""\n')
    const columns = [whole, { type: 'DATE' }, { type: 'TIMESTAMP' }]
    expect(prepareCsv({ bytes, delimiter: ',', hasHeader: true, columns })).toBe(bytes)
  })

  it('leaves the header and rows of a different width unchanged', () => {
    expect(prepared('1.5,b\n7\n1,2,3.5\n', [whole, whole])).toBe('1.5,b\n7\n1,2,3.5\n')
  })
})

describe('isReadyCsv', () => {
  const columns = [whole, text, { type: 'DATE' }, { type: 'TIMESTAMP' }, { type: 'TIME' }]
  const isReady = (bytes: Uint8Array) => isReadyCsv({ bytes, delimiter: ',', hasHeader: true, columns })
  const row = '12,n,2026-01-31,2026-01-31 10:00\n'
  const quoted = '"12","n\n","2026-01-31","2026-01-31 10:00"\n'
  const encoder = new TextEncoder()

  /** `late` comes after 900,000 rows. */
  const createLarge = (one: string) => {
    const head = encoder.encode(`n,t,d,m\n${one.repeat(900_000)}`)
    const large = new Uint8Array(head.length + 1000)
    large.set(head)
    return (late: string) => {
      const { written } = encoder.encodeInto(late + one, large.subarray(head.length))
      return large.subarray(0, head.length + written)
    }
  }
  const large = createLarge(row)
  const largeQuoted = createLarge(quoted)

  it.each([
    ['nothing', row, true],
    ['a fraction', '1.5,name,2026-01-31,2026-01-31 10:00:00\n', false],
    ['a fraction in quotes', '"1.5",name,2026-01-31,2026-01-31 10:00:00\n', false],
    ['a small fraction', '15e-1,name,2026-01-31,2026-01-31 10:00:00\n', false],
    ['a time after a date', '1,name,2026-01-31 10:00,2026-01-31 10:00:00\n', false],
    ['a time after a date in quotes', '1,"na""me","2026-01-31 10:00",2026-01-31 10:00:00\n', false],
    ['words after a date', '1,name,2026-01-31abc,2026-01-31 10:00:00\n', false],
    ['an offset', '1,name,2026-01-31,2026-01-31 10:00:00+02:00\n', false],
    ['an offset in quotes', '1,"na,me",2026-01-31,"2026-01-31T10:00:00-05:00"\n', false],
    ['another line end', '1,name,2026-01-31,2026-01-31 10:00:00\r\n', false],
    ['a line end of CR only', '1,name,2026-01-31,2026-01-31 10:00:00\r', false],
    ['more than a time', '1,name,2026-01-31,2026-01-31 10:00:00,10:30:00 PM\n', false],
    ['a fraction in a row without the other cells', '1.5\n', false],
  ])('finds %s after 900,000 rows', (_what, late, ready) => {
    expect(isReady(large(late))).toBe(ready)
  })

  it.each([
    ['nothing', quoted, true],
    ['a fraction', '"1.5","name","2026-01-31","2026-01-31 10:00:00"\n', false],
    ['an offset', '"1","name","2026-01-31","2026-01-31 10:00:00+02"\n', false],
    ['another line end', '"1","name","2026-01-31","2026-01-31 10:00:00"\r\n', false],
  ])('finds %s after 900,000 rows that are all in quotes', (_what, late, ready) => {
    expect(isReady(largeQuoted(late))).toBe(ready)
  })

  it('agrees with rewriting the file cell by cell', () => {
    const cells = [
      '',
      '1',
      '-2',
      '1.5',
      '1.0',
      '1e3',
      ' 7',
      '"8"',
      '"8.5"',
      '"a,b"',
      '"p\nq"',
      '"p\r\nq"',
      '"p\rq"',
      '"x""y"',
    ]
    const more = [
      '2026-01-31',
      '2026-1-1 1',
      '"2026-01-31"',
      '2026-01-31 10:00',
      '2026-01-31 10:00+02',
      '"open',
      'é',
      '10:30:00',
      '10:30 PM',
      '""',
    ]
    const pool = [...cells, ...more]
    let seed = 7
    const pick = (count: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % count
    }
    for (let round = 0; round < 20_000; round += 1) {
      const lineEnd = ['\n', '\r\n', '\r'][pick(12) > 1 ? pick(2) : pick(3)] ?? ''
      const plainest = pick(3) > 0
      const cell = () =>
        plainest && pick(8) > 0 ? (['1', '2026-01-31', '', '"8"'][pick(4)] ?? '') : (pool[pick(pool.length)] ?? '')
      const rows = Array.from({ length: 1 + pick(4) }, () => Array.from({ length: 1 + pick(5) }, cell).join(','))
      const bytes = new TextEncoder().encode(rows.join(lineEnd) + (pick(2) === 0 ? lineEnd : ''))
      const csv = { bytes, delimiter: ',', hasHeader: pick(2) === 0, columns }
      expect([isReadyCsv(csv), new TextDecoder().decode(bytes)]).toEqual([
        rewriteCsv(csv) === bytes,
        new TextDecoder().decode(bytes),
      ])
    }
  })
})
