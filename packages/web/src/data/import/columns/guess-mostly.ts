// What most values of a column of text are, where some fit no type: one bad day shall not cost a file its dates.
import { asType } from './as-type.ts'
import { type MajorityType, type Most, mostShare, quoted, textBecause } from './majority.ts'
import { mostlyDates } from './mostly-dates.ts'
import { mostlyNumbers } from './mostly-numbers.ts'
import { blankWords, type InspectedColumn, type TypeGuess } from './type-guess.ts'

/** One bad value of three tells nothing. */
const fewestValues = 10

/**
 * A type that nearly all values fit, or text with the reason. The reading is there in both cases: a person may choose
 * the type all the same. `null` where there is nothing to say.
 */
export function guessMostly(values: readonly string[], lookedAt: InspectedColumn): TypeGuess | null {
  if (!spread(values).some((value) => /^[+-]?[.\d]|^[a-z]{3,9}\.?,?[ /-]?\d/i.test(value.trim()))) return null
  const filled = values.map((value) => value.trim()).filter((value) => value !== '')
  const real = filled.filter((value) => !blankWords.has(value))
  const most = mostOf(real)
  if (most === null || 'remark' in most) return most
  const blanks = [...new Set(filled.filter((value) => blankWords.has(value)))]
  return decide(most, { real, blanks, lookedAt })
}

/** A date among numbers makes no column of dates. */
function mostOf(values: readonly string[]): MajorityType {
  const dates = mostlyDates(values)
  if (dates !== null && ('remark' in dates || dates.count >= values.length / 2)) return dates
  return mostlyNumbers(values) ?? dates
}

/** Some of all of it: most columns of text are told by them. */
function spread(values: readonly string[]): readonly string[] {
  const step = Math.max(1, Math.floor(values.length / 100))
  return values.filter((_, index) => index % step === 0)
}

interface Values {
  readonly real: readonly string[]
  readonly blanks: readonly string[]
  readonly lookedAt: InspectedColumn
}

function decide(most: Most, { real, blanks, lookedAt }: Values): TypeGuess {
  const { type, word, reading, ways, isTextBetter } = most
  const odd = real.filter((value) => asType(value, type, reading) === undefined)
  const share = 1 - odd.length / real.length
  const misfits = misfitsIn(odd, { real, lookedAt })
  if (!isTextBetter && (share === 1 || (share >= mostShare && real.length >= fewestValues))) {
    const reasons = [...(ways === undefined ? [] : [ways]), ...(odd.length > 0 ? [misfits.reason] : [])]
    const found = { ...reading, ...(blanks.length > 0 && { blanks }) }
    return {
      type,
      ...(reasons.length > 0 && { remark: `is read as a ${word}: ${reasons.join('; ')}` }),
      ...(Object.keys(found).length > 0 && { reading: found }),
    }
  }
  const kept = Object.keys(reading).length > 0 ? { reading } : {}
  // Without a way to read both, those written the other way are among the odd ones.
  if (ways !== undefined && Object.keys(reading).length === 0 && most.count >= real.length / 2) return textBecause(ways)
  if (share < 0.5) return { type: 'VARCHAR', ...kept }
  const none = odd.length === 1 ? `is no ${word}` : `are no ${word}s`
  return { ...textBecause(`${misfits.counts} ${none} (${misfits.example})`), ...kept }
}

function misfitsIn(odd: readonly string[], { real, lookedAt }: Omit<Values, 'blanks'>) {
  const all = real.length.toLocaleString('en')
  const isAll = lookedAt === 'all'
  const isOne = odd.length === 1
  const counts = `${odd.length.toLocaleString('en')} of ${isAll ? `${all} values` : `the ${all} values looked at`}`
  const example = quoted(odd[0])
  const reason = `${counts} ${isOne ? 'does' : 'do'} not fit (${example})`
  return { counts, example, reason }
}
