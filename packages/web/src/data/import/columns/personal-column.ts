// Finds columns that look personal, by header and by values. Values can overrule a header: `phone_model` contains no
// phone numbers.

export interface SampledColumn {
  /** The header in the file. */
  readonly sourceName: string
  /** Some of its values, as text. */
  readonly values: readonly string[]
}

/** For each column why it looks personal, such as "looks like phone numbers"; `null` if it does not. */
export function personalColumns(columns: readonly SampledColumn[]): readonly (string | null)[] {
  const found = columns.map(personalReason)
  // A column "name" contains names of people only if other columns look personal as well.
  const hasPersonal = found.some((reason) => reason !== null)
  return found.map((reason, index) => {
    const { sourceName, values } = columns[index] ?? { sourceName: '', values: [] }
    const isName = reason === null && hasPersonal && wordsOf(sourceName).join(' ') === 'name'
    return isName && share(filledOf(values), isPersonName) >= 0.8 ? 'looks like names of people' : reason
  })
}

function personalReason({ sourceName, values }: SampledColumn): string | null {
  const name = wordsOf(sourceName).join(' ')
  const filled = filledOf(values)
  const rule = rules.find(({ header, fits, minShare, minValues = 1, fitsWithoutHeader = fits }) => {
    if (header.test(name)) return filled.length === 0 || share(filled, fits) >= 0.5
    return minShare !== undefined && filled.length >= minValues && share(filled, fitsWithoutHeader) >= minShare
  })
  return rule === undefined ? null : `looks like ${rule.description}`
}

interface Rule {
  readonly description: string
  /** Matches headers in lower case with one space between words. */
  readonly header: RegExp
  /** With such a header, half of the values must fit. */
  readonly fits: (value: string) => boolean
  /** With any other header: the share of values that must fit. Absent: such columns are not personal. */
  readonly minShare?: number
  readonly minValues?: number
  /** A stricter `fits` for columns with any other header. */
  readonly fitsWithoutHeader?: (value: string) => boolean
}

const rules: readonly Rule[] = [
  {
    description: 'e-mail addresses',
    header: /\b(e ?mails?|mail address)\b/,
    fits: (value) => /^[^\s@,;<>]+@[^\s@,;<>]+\.[a-z]{2,}$/i.test(value),
    minShare: 0.6,
  },
  {
    description: 'card numbers',
    header: /\b(credit ?card|debit ?card|card (number|no|nr)|cardnumber|iban)\b/,
    fits: (value) => isCardNumber(value) || isIban(value),
    minShare: 0.9,
    minValues: 5,
  },
  {
    description: 'social security or national identity numbers',
    header: /\b(ssn|social security|national (id|insurance|identity)|nino|sozialversicherung\w*)\b/,
    fits: (value) => /^[\dA-Z][\dA-Z .-]{6,14}[\dA-Z]$/i.test(value) && /\d{2}/.test(value),
    minShare: 0.9,
    minValues: 3,
    fitsWithoutHeader: (value) => /^(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}$/.test(value),
  },
  {
    description: 'phone numbers',
    header: /\b(tele)?(phones?|fon|fax|mobile|cell|handy)\b|\btel\b/,
    fits: isPhone,
    minShare: 0.9,
    minValues: 3,
    fitsWithoutHeader: (value) => value.startsWith('+') && isPhone(value),
  },
  {
    description: 'names of people',
    header:
      /\b((first|last|middle|given|family|maiden|full|sur|fore|nick) ?names?|surname|forename|vorname|nachname)\b|\b(customer|client|person|people|employee|patient|contact|user|driver|recipient|owner|member|student|teacher|doctor|guest|passenger|applicant|candidate|tenant) ?names?$|^recipient$/,
    fits: (value) => /^\p{L}[\p{L}\p{M}\d' ._-]{0,60}$/u.test(value),
  },
  {
    description: 'postal addresses',
    header:
      /^(?!.*\b(ip|mac|web|url|e ?mail|mail|memory|wallet|contract|host|network)\b).*\b(address(es)?( ?(line)? ?\d)?|street( ?(name|address))?|stra(ss|ß)e|anschrift)$/,
    fits: (value) => /\p{L}{2}/u.test(value) && /[\s\d]/.test(value),
  },
]

/** Splits `recipientEmail`, `recipient_email` and `Recipient E-Mail` in the same way. */
const wordsOf = (header: string): readonly string[] =>
  header
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')

const filledOf = (values: readonly string[]): readonly string[] =>
  values.map((value) => value.trim()).filter((value) => value !== '')

const share = (values: readonly string[], fits: (value: string) => boolean): number =>
  values.length === 0 ? 0 : values.filter(fits).length / values.length

/** 7 to 15 digits and separators. ISO dates are excluded: they have as many digits. */
function isPhone(value: string): boolean {
  const digits = value.replace(/\D/g, '').length
  return digits >= 7 && digits <= 15 && /^\+?[\d ()/.-]+$/.test(value) && !/^\d{4}-\d\d-\d\d/.test(value)
}

const isPersonName = (value: string): boolean => /^\p{Lu}[\p{L}\p{M}'.-]+( \p{L}[\p{L}\p{M}'.-]*){1,3}$/u.test(value)

/** 13 to 19 digits with a valid Luhn check digit. */
export function isCardNumber(value: string): boolean {
  if (!/^\d(?:[ -]?\d){12,18}$/.test(value)) return false
  const digits = [...value.replace(/\D/g, '')].reverse().map(Number)
  if (new Set(digits).size === 1) return false
  const sum = digits.reduce((total, digit, index) => {
    const counted = index % 2 === 0 ? digit : digit * 2
    return total + (counted > 9 ? counted - 9 : counted)
  }, 0)
  return sum % 10 === 0
}

/** The check digits make the remainder modulo 97 equal to 1. */
function isIban(value: string): boolean {
  const bare = value.replaceAll(' ', '').toUpperCase()
  if (!/^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/.test(bare)) return false
  const digits = `${bare.slice(4)}${bare.slice(0, 4)}`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  return [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1
}
