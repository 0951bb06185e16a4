// Detects the type of most values, so that one bad date does not turn the whole column into text.
import { asType } from './as-type.ts'
import { type MajorityType, type Most, mostShare, quoted, textBecause } from './majority.ts'
import { mostlyDates } from './mostly-dates.ts'
import { mostlyNumbers } from './mostly-numbers.ts'
import { blankWords, type InspectedColumn, type TypeGuess } from './type-guess.ts'

/** One misfit among three values is not enough to decide. */
const fewestValues = 10

/**
 * A type that nearly all values fit, or text with the reason. Both include a reading, because the user may still choose
 * the type. `null` if there is nothing to report.
 */
export function guessMostly(values: readonly string[], inspected: InspectedColumn): TypeGuess | null {
  if (!spread(values).some((value) => /^[+-]?[.\d]|^[a-z]{3,9}\.?,?[ /-]?\d/i.test(value.trim()))) return null
  const filled = values.map((value) => value.trim()).filter((value) => value !== '')
  const real = filled.filter((value) => !blankWords.has(value))
  const most = mostOf(real)
  if (most === null || 'remark' in most) return most
  const blanks = [...new Set(filled.filter((value) => blankWords.has(value)))]
  return decide(most, { real, blanks, inspected: inspected })
}

/** A single date among numbers does not make a column of dates. */
function mostOf(values: readonly string[]): MajorityType {
  const dates = mostlyDates(values)
  if (dates !== null && ('remark' in dates || dates.count >= values.length / 2)) return dates
  return mostlyNumbers(values) ?? dates
}

/** Checks some values first, which is enough for most text columns. */
function spread(values: readonly string[]): readonly string[] {
  const step = Math.max(1, Math.floor(values.length / 100))
  return values.filter((_, index) => index % step === 0)
}

interface Values {
  readonly real: readonly string[]
  readonly blanks: readonly string[]
  readonly inspected: InspectedColumn
}

function decide(most: Most, { real, blanks, inspected }: Values): TypeGuess {
  const { type, word, reading, ways, isTextBetter } = most
  const odd = real.filter((value) => asType(value, type, reading) === undefined)
  const share = 1 - odd.length / real.length
  const misfits = misfitsIn(odd, { real, inspected: inspected })
  if (!isTextBetter && (share === 1 || (share >= mostShare && real.length >= fewestValues))) {
    const reasons = [...(ways === undefined ? [] : [ways]), ...(odd.length > 0 ? [misfits.reason] : [])]
    const found = { ...reading, ...(blanks.length > 0 && { blanks }) }
    return {
      type,
      ...(reasons.length > 0 && { remark: `is read as a ${word}: ${reasons.join('; ')}` }),
      ...(Object.keys(found).length > 0 && { reading: found }),
    }
  }
  const partial = Object.keys(reading).length > 0 ? { reading } : {}
  // If the two notations cannot be read together, the rarer one counts as misfits.
  if (ways !== undefined && Object.keys(reading).length === 0 && most.count >= real.length / 2) return textBecause(ways)
  if (share < 0.5) return { type: 'VARCHAR', ...partial }
  const none = odd.length === 1 ? `is not a ${word}` : `are not ${word}s`
  return { ...textBecause(`${misfits.counts} ${none} (${misfits.example})`), ...partial }
}

function misfitsIn(odd: readonly string[], { real, inspected }: Omit<Values, 'blanks'>) {
  const all = real.length.toLocaleString('en')
  const isAll = inspected === 'all'
  const isOne = odd.length === 1
  const counts = `${odd.length.toLocaleString('en')} of ${isAll ? `${all} values` : `the ${all} values checked`}`
  const example = quoted(odd[0])
  const reason = `${counts} ${isOne ? 'does' : 'do'} not fit (${example})`
  return { counts, example, reason }
}
