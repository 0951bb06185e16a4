import { describe, expect, it } from 'vitest'
import { readText } from './read-text.ts'

describe('readText', () => {
  it.each([
    ['31.12.2026', 'DATE', { dates: 'day-first' }, '2026-12-31'],
    ['1/2/2026 9:05', 'TIMESTAMP', { dates: 'month-first' }, '2026-01-02 09:05'],
    ['1.234,56', 'DOUBLE', { decimals: 'comma' }, '1234.56'],
    ['1,234.56', 'DOUBLE', { decimals: 'point' }, '1234.56'],
    ['-1.000', 'BIGINT', { decimals: 'comma' }, '-1000'],
    ['NA', 'BIGINT', { blanks: ['NA'] }, null],
    [' ', 'BIGINT', {}, null],
    ['5.0', 'BIGINT', {}, '5.0'],
    ['1e3', 'BIGINT', {}, '1e3'],
    ['2026-01-31T10:00:00+02:00', 'TIMESTAMP', {}, '2026-01-31 08:00:00'],
    ['2026-01-01 00:30:00.250-05', 'TIMESTAMP', {}, '2026-01-01 05:30:00.250'],
    ['2026-01-31T10:00:00Z', 'TIMESTAMP', {}, '2026-01-31 10:00:00'],
    ['2026-01-31 00:00:00', 'DATE', {}, '2026-01-31 00:00:00'],
    ['2026/01/31', 'DATE', {}, '2026/01/31'],
    ['0044-03-15 (BC)', 'DATE', {}, '0044-03-15 (BC)'],
    ['9:05:00.250', 'TIME', {}, '9:05:00.250'],
    ['3 April 1996', 'DATE', {}, '1996-04-03'],
    ['Sept. 3rd, 1996', 'DATE', {}, '1996-09-03'],
    ['apr 1996', 'DATE', {}, '1996-04-01'],
    ['1996-04', 'DATE', {}, '1996-04-01'],
    ['3-Apr-1996 9:05', 'TIMESTAMP', {}, '1996-04-03 09:05'],
    ['12.5 %', 'DOUBLE', { percent: true }, '12.5'],
    ['1.234,5%', 'DOUBLE', { percent: true, decimals: 'comma' }, '1234.5'],
    ['12.5 %', 'DOUBLE', {}, '12.5 %'],
  ] as const)('reads %s as %s %j: %s', (...[text, type, reading, expected]) => {
    expect(readText(text, type, reading)).toBe(expected)
  })

  it('makes SQL reject values that it would round or cut', () => {
    expect(readText('1.5', 'BIGINT')).toBe('1.5 (not a whole number)')
    expect(readText('15e-1', 'BIGINT')).toBe('15e-1 (not a whole number)')
    expect(readText('2026-01-31 10:00', 'DATE')).toBe('more than a day: 2026-01-31 10:00')
    expect(readText('2026-01-31abc', 'DATE')).toBe('more than a day: 2026-01-31abc')
    expect(readText('2026-01-31', 'TIME')).toBe('more than a time: 2026-01-31')
    expect(readText('10:30:00 PM', 'TIME')).toBe('more than a time: 10:30:00 PM')
    expect(readText('10:30:00+02:00', 'TIME')).toBe('more than a time: 10:30:00+02:00')
  })
})
