import { plainNumber } from './as-type.ts'
import { type MajorityType, mostShare, textBecause, twoWays } from './majority.ts'
import { commaNumber, percentSign, pointNumber } from './read-text.ts'
import { ambiguousNumbers } from './type-guess.ts'

export function mostlyNumbers(given: readonly string[]): MajorityType {
  const hasPercent = given.some((value) => percentSign.test(value))
  const values = hasPercent ? given.map((value) => value.replace(percentSign, '')) : given
  const found = mostlyPlainNumbers(values)
  if (!hasPercent || found === null || 'remark' in found) return found
  return { ...found, reading: { ...found.reading, percent: true }, isTextBetter: false }
}

function mostlyPlainNumbers(values: readonly string[]): MajorityType {
  // Article numbers, postal codes or phone numbers. A date such as 01/02/2026 is only a misfit.
  if (values.some((value) => /^(\+|-?0\d)[\d.,]*$/.test(value))) return null
  const seen = { comma: 0, point: 0, both: 0, hasComma: false, hasDecimals: false }
  const first = { comma: '', point: '' }
  for (const value of values) {
    const [isComma, isPoint] = [commaNumber.test(value), pointNumber.test(value) || plainNumber.test(value)]
    if (!isComma && !isPoint) continue
    const way = isComma && isPoint ? 'both' : isComma ? 'comma' : 'point'
    seen[way] += 1
    if (way !== 'both') first[way] ||= value
    seen.hasComma ||= value.includes(',')
    seen.hasDecimals ||= value.includes('.')
  }
  const decided = seen.comma + seen.point
  const count = decided + seen.both
  if (count === 0) return null
  if (!seen.hasComma) {
    return { type: 'DOUBLE', word: 'number', reading: {}, count, isTextBetter: !seen.hasDecimals }
  }
  const ways = seen.comma > 0 && seen.point > 0 ? { ways: twoWays('numbers', [first.comma, first.point]) } : {}
  const isComma = seen.comma >= decided * mostShare
  if (decided === 0 || (!isComma && seen.point < decided * mostShare)) {
    if (count < values.length / 2) return null
    return ways.ways === undefined ? ambiguousNumbers : textBecause(ways.ways)
  }
  const pattern = isComma ? commaNumber : pointNumber
  const decimals = isComma ? /,\d+$/ : /\.\d+$/
  const type = values.some((value) => pattern.test(value) && decimals.test(value)) ? 'DOUBLE' : 'BIGINT'
  const reading = { decimals: isComma ? 'comma' : 'point' } as const
  return { type, word: 'number', reading, count, ...(isComma && ways) }
}
