import { describe, expect, it } from 'vitest'
import { keyExpiry } from './keys.ts'

const now = new Date('2026-05-04T10:00:00.000Z')

describe('keyExpiry', () => {
  it.each([
    ['never', null],
    ['30d', '2026-06-03T10:00:00.000Z'],
    ['90m', '2026-05-04T11:30:00.000Z'],
    ['2w', '2026-05-18T10:00:00.000Z'],
    ['2027-01-01', '2027-01-01T00:00:00.000Z'],
    ['2026-05-04T13:00+02:00', '2026-05-04T11:00:00.000Z'],
  ])('parses %s', (text, moment) => {
    expect(keyExpiry(text, now)).toBe(moment)
  })

  it.each(['', 'soon', '30', '0.5d', '-1d', '2027-02-30', '2027-13-01', '01.01.2027', '2027-01-01 12:00'])(
    'refuses %j',
    (text) => {
      expect(() => keyExpiry(text, now)).toThrow(/is not a time: use/)
    },
  )

  it.each(['2026-05-04', '0d', '2020-01-01T00:00:00Z'])('refuses %s, which is in the past', (text) => {
    expect(() => keyExpiry(text, now)).toThrow(/is in the past/)
  })
})
