import { describe, expect, it } from 'vitest'
import { prepareCsv } from './prepare-csv.ts'

const prepared = (text: string, columns: Parameters<typeof prepareCsv>[0]['columns'], delimiter = ',') =>
  new TextDecoder().decode(prepareCsv({ bytes: new TextEncoder().encode(text), delimiter, hasHeader: true, columns }))

const text = { type: 'VARCHAR' }
const whole = { type: 'BIGINT' }

describe('prepareCsv', () => {
  it('gives the very bytes back where nothing has to change', () => {
    const bytes = new TextEncoder().encode('a,b\r\n1,x\r\n-2,"y, z"\r\n')
    expect(prepareCsv({ bytes, delimiter: ',', hasHeader: true, columns: [whole, text] })).toBe(bytes)
  })

  it('makes one kind of line end, and leaves those in quotes', () => {
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

  it('makes plain what would be rounded, with quotes where they are needed', () => {
    expect(prepared('n,t\n1.5,a\n2,b\n', [whole, text])).toBe('n,t\n1.5 (not a whole number),a\n2,b\n')
    expect(prepared('n;t\n1,5;a\n', [{ type: 'BIGINT', reading: { decimals: 'comma' } }, text], ';')).toBe(
      'n;t\n1.5 (not a whole number);a\n',
    )
  })

  it('leaves the header and rows of another width alone', () => {
    expect(prepared('1.5,b\n7\n1,2,3.5\n', [whole, whole])).toBe('1.5,b\n7\n1,2,3.5\n')
  })
})
