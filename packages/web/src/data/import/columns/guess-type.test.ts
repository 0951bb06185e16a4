import { describe, expect, it } from 'vitest'
import { guessByPatterns, guessType } from './guess-type.ts'

describe('guessType', () => {
  it.each([
    [['1', '-2', ''], 'BIGINT'],
    [['1', '2.5', '1e3'], 'DOUBLE'],
    [['true', 'FALSE'], 'BOOLEAN'],
    [['2026-01-31', '2024-02-29'], 'DATE'],
    [['2026-01-31 10:00', '2026-01-31T10:00:00Z', '2026-02-01'], 'TIMESTAMP'],
    [['10:30', '23:59:59'], 'TIME'],
    [['3 April 1996', '14 May 1997'], 'DATE'],
    [['Apr 3, 1996', 'December 24th, 2001'], 'DATE'],
    [['Apr 1996', 'May 1997'], 'DATE'],
    [['1996-04', '1996-05', '1996-06-01'], 'DATE'],
    [['3 April 1996 9:05'], 'TIMESTAMP'],
    [['1001-04', '1001-05'], 'VARCHAR'],
    [['May 5', 'June 6'], 'VARCHAR'],
    [['31 February 2024'], 'VARCHAR'],
    [['March', 'April'], 'VARCHAR'],
    [['a', '1'], 'VARCHAR'],
    [['', ''], 'VARCHAR'],
  ])('reads %j as %s', (values, type) => {
    expect(guessType(values).type).toBe(type)
  })

  it.each([
    ['an article number with leading zeros', ['007', '12']],
    ['a phone number', ['+49123', '+1555']],
    ['an impossible date', ['2026-02-30']],
    ['a number beyond 64 bits', ['99999999999999999999']],
    ['ambiguous dates', ['03/04/2026', '05/06/2026']],
    ['ambiguous numbers', ['1,234', '5,678']],
    ['dates in both orders', ['31/12/2026', '12/31/2026']],
  ])('leaves %s as text', (_what, values) => {
    expect(guessType(values).type).toBe('VARCHAR')
  })

  it('says how months without a day and percentages are read', () => {
    expect(guessType(['Apr 1996']).remark).toBe('has months without a day: "Apr 1996" is read as 1996-04-01')
    expect(guessType(['3 April 1996']).remark).toBeUndefined()
    expect(guessType(['12.5 %']).remark).toBe('has percentages: "12.5 %" is read as 12.5')
  })

  it('reads dates with month names if most values fit, and names the misfits', () => {
    const days = Array.from({ length: 30 }, (_, at) => `${(at % 28) + 1} April 1996`)
    expect(guessType([...days, 'soon'])).toMatchObject({ type: 'DATE', remark: expect.stringContaining('"soon"') })
  })

  it('explains why ambiguous dates stay text', () => {
    expect(guessType(['03/04/2026']).remark).toMatch(/ambiguous dates/)
  })

  it.each([
    [['31.12.2026', '01.02.2026'], 'DATE', { dates: 'day-first' }],
    [['01.02.2026'], 'DATE', { dates: 'day-first' }],
    [['12/31/2026', '1/2/2026'], 'DATE', { dates: 'month-first' }],
    [['31/12/2026 10:30'], 'TIMESTAMP', { dates: 'day-first' }],
    [['1.234,56', '7,5'], 'DOUBLE', { decimals: 'comma' }],
    [['1,234.56', '7'], 'DOUBLE', { decimals: 'point' }],
    [['1,234,567', '7'], 'BIGINT', { decimals: 'point' }],
    [['12', 'NA', '-'], 'BIGINT', { blanks: ['NA', '-'] }],
    [['12.5 %', '7%'], 'DOUBLE', { percent: true }],
    [['12 %', '7'], 'BIGINT', { percent: true }],
    [['1.234,5 %', '7 %'], 'DOUBLE', { decimals: 'comma', percent: true }],
  ])('reads %j as %s with a reading', (values, type, reading) => {
    expect(guessType(values)).toMatchObject({ type, reading })
  })

  /** 302 days, with `odd` in place of some. */
  const days = (...odd: readonly string[]) => [
    ...Array.from({ length: 302 - odd.length }, (_, at) => `${String((at % 28) + 1).padStart(2, '0')}.10.2025`),
    ...odd,
  ]

  it('uses the type of nearly all values, and names the misfits', () => {
    expect(guessType(days('31.02.2025'))).toEqual({
      type: 'DATE',
      reading: { dates: 'day-first' },
      remark: 'is read as a date: 1 of 302 values does not fit ("31.02.2025")',
    })
    expect(guessType(days('some words', 'NA', 'x'))).toMatchObject({
      type: 'DATE',
      reading: { dates: 'day-first', blanks: ['NA'] },
      remark: expect.stringContaining('2 of 301 values do not fit'),
    })
    expect(guessType(days('some words', 'x'), 'some').remark).toBe(
      'is read as a date: 2 of the 302 values checked do not fit ("some words")',
    )
    const slashed = days('31.02.2025', '12.31.2025').map((day) => day.replaceAll('.', '/'))
    expect(guessType(slashed)).toMatchObject({ type: 'DATE', reading: { dates: 'day-first' } })
    const prices = [...Array.from({ length: 40 }, (_, at) => `1.${100 + at},50`), '12,5 EUR']
    expect(guessType(prices)).toMatchObject({ type: 'DOUBLE', reading: { decimals: 'comma' } })
    expect(guessType([...Array(20).fill('2026-01-31'), '2026-02-30'])).toMatchObject({ type: 'DATE' })
  })

  it('stays text if too many values do not fit, with the reason and the reading of the others', () => {
    expect(guessType(days(...Array(60).fill('open')))).toEqual({
      type: 'VARCHAR',
      reading: { dates: 'day-first' },
      remark: 'stays text: 60 of 302 values are not dates ("open")',
    })
    expect(guessType([...Array(20).fill('12'), 'A12'])).toEqual({
      type: 'VARCHAR',
      remark: 'stays text: 1 of 21 values is not a number ("A12")',
    })
    expect(guessType(days(...Array(60).fill('open')), 'some').remark).toBe(
      'stays text: 60 of the 302 values checked are not dates ("open")',
    )
    expect(guessType(['1.234,50', '7,5', 'free'])).toMatchObject({ type: 'VARCHAR', reading: { decimals: 'comma' } })
    expect(guessType(['a street', '12 rue de X'])).toEqual({ type: 'VARCHAR' })
  })

  /** Thirty values, with `odd` in place of some. */
  const thirty = (value: string, ...odd: readonly string[]) => [...Array(30 - odd.length).fill(value), ...odd]

  it('accepts numbers with a decimal point among those with a comma', () => {
    const remark = 'is read as a number: 1 of 30 values does not fit ("abc")'
    expect(guessType(thirty('1,50', 'abc'))).toEqual({ type: 'DOUBLE', reading: { decimals: 'comma' }, remark })
    expect(guessType(thirty('1.50', 'abc'))).toEqual({ type: 'DOUBLE', remark })
    expect(guessType(thirty('.5', '7', 'abc'))).toEqual({ type: 'DOUBLE', remark })
    for (const odd of ['2026-01-31', '01/02/2026', '030 12']) {
      expect(guessType(thirty('1.50', odd))).toMatchObject({ type: 'DOUBLE' })
    }
    expect(guessType(thirty('1.50', '007', 'abc'))).toEqual({ type: 'VARCHAR' })
    const half = 'stays text: 10 of 30 values are not numbers ("abc")'
    for (const one of ['1,50', '1.50', '12']) {
      expect(guessType(thirty(one, ...Array(10).fill('abc')))).toMatchObject({ type: 'VARCHAR', remark: half })
    }
    expect(guessType(thirty('12', ...Array(16).fill('abc')))).toEqual({ type: 'VARCHAR' })
  })

  it('reads dates in two unambiguous notations, and says so', () => {
    const ways = (other: string) => `its dates have two notations ("2026-01-01" and "${other}")`
    expect(guessType(['2026-01-01', '02/13/2026'])).toEqual({
      type: 'DATE',
      reading: { dates: 'month-first' },
      remark: `is read as a date: ${ways('02/13/2026')}`,
    })
    expect(guessType(thirty('31.12.2026', '2026-01-01', 'soon'))).toEqual({
      type: 'DATE',
      reading: { dates: 'day-first' },
      remark: `is read as a date: ${ways('31.12.2026')}; 1 of 30 values does not fit ("soon")`,
    })
    expect(guessType(['2026-01-01', '02/03/2026'])).toEqual({
      type: 'VARCHAR',
      remark: `stays text: ${ways('02/03/2026')}`,
    })
  })

  it('reports numbers in two notations and ambiguous numbers', () => {
    const ways = 'its numbers have two notations ("1,50" and "1.50")'
    expect(guessType(['1,50', '1.50'])).toEqual({ type: 'VARCHAR', remark: `stays text: ${ways}` })
    // A point between digits that are not thousands is a decimal point, even here.
    expect(guessType(thirty('1,50', '1.50'))).toMatchObject({ type: 'DOUBLE', remark: `is read as a number: ${ways}` })
    const doubtful = 'has ambiguous numbers such as 1,234, so it stays text'
    expect(guessType(['1,234', '5,678']).remark).toBe(doubtful)
    expect(guessType(['1,234', '5,678', 'free']).remark).toBe(doubtful)
  })

  it('names the words that mean "no value"', () => {
    expect(guessType(['12', 'NA', '-']).remark).toBe('treats "NA" or "-" as empty')
  })

  it('returns the same with the fast check as with the patterns', () => {
    const plain = [
      '',
      '0',
      '12',
      '-7',
      '2.5',
      '5.',
      '-0.5',
      '2026-01-31',
      '2026-01-31 10:00',
      '2026-01-31T10:00:59',
      'some words',
    ]
    const odd = [
      '007',
      '-',
      '+5',
      '.5',
      '1.2.3',
      '2026-02-30',
      '2026-13-01',
      '999999999999999999',
      '9223372036854775808',
    ]
    const words = [
      'NA',
      'yes',
      'false ',
      ' 1',
      '1e3',
      '1,5',
      '10:30',
      '31.12.2026',
      '2026-01-31 10:00+02',
      '-abc',
      '(null)',
      'Infinity',
      '1234-',
    ]
    const pool = [...plain, ...odd, ...words]
    for (const one of pool) {
      for (const other of pool) {
        for (const third of plain) {
          const values = [one, other, third]
          expect([values, guessType(values)]).toEqual([values, guessByPatterns(values)])
        }
      }
    }
  })
})
