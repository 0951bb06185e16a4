// Columns that look personal, by their headers and by their values. A header alone is enough only where the values do not
// contradict it: `phone_model` has no phone numbers in it.

export interface LookedColumn {
  /** As the file has it. */
  readonly sourceName: string
  /** Some of its values, as text. */
  readonly values: readonly string[]
}

/** For each column why it looks personal, as the end of a sentence about it; `null` where it does not. */
export function personalColumns(columns: readonly LookedColumn[]): readonly (string | null)[] {
  const found = columns.map(personalReason)
  // A bare "name" is a person's where the rows have other things of a person.
  const arePeople = found.some((reason) => reason !== null)
  return found.map((reason, place) => {
    const { sourceName, values } = columns[place] ?? { sourceName: '', values: [] }
    const isName = reason === null && arePeople && wordsOf(sourceName).join(' ') === 'name'
    return isName && share(filledOf(values), isPersonName) >= 0.8 ? 'looks like names of people' : reason
  })
}

function personalReason({ sourceName, values }: LookedColumn): string | null {
  const header = wordsOf(sourceName).join(' ')
  const filled = filledOf(values)
  const rule = rules.find(({ says, fits, share: needed, least = 1, fitsAlone = fits }) => {
    if (says?.test(header) === true) return filled.length === 0 || share(filled, fits) >= 0.5
    return needed !== undefined && filled.length >= least && share(filled, fitsAlone) >= needed
  })
  return rule === undefined ? null : `looks like ${rule.words}`
}

interface Rule {
  readonly words: string
  /** The header, in lower case, its words with one space between them. */
  readonly says?: RegExp
  readonly fits: (value: string) => boolean
  /** Whatever the header says: how large a share of the values has to fit, of at least so many. */
  readonly share?: number
  readonly least?: number
  readonly fitsAlone?: (value: string) => boolean
}

const rules: readonly Rule[] = [
  {
    words: 'e-mail addresses',
    says: /\b(e ?mails?|mail address)\b/,
    fits: (value) => /^[^\s@,;<>]+@[^\s@,;<>]+\.[a-z]{2,}$/i.test(value),
    share: 0.6,
  },
  {
    words: 'card numbers',
    says: /\b(credit ?card|debit ?card|card (number|no|nr)|cardnumber|iban)\b/,
    fits: (value) => isCardNumber(value) || isIban(value),
    share: 0.9,
    least: 5,
  },
  {
    words: 'social security or national identity numbers',
    says: /\b(ssn|social security|national (id|insurance|identity)|nino|sozialversicherung\w*)\b/,
    fits: (value) => /^[\dA-Z][\dA-Z .-]{6,14}[\dA-Z]$/i.test(value) && /\d{2}/.test(value),
    share: 0.9,
    least: 3,
    fitsAlone: (value) => /^(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}$/.test(value),
  },
  {
    words: 'phone numbers',
    says: /\b(tele)?(phones?|fon|fax|mobile|cell|handy)\b|\btel\b/,
    fits: isPhone,
    share: 0.9,
    least: 3,
    fitsAlone: (value) => value.startsWith('+') && isPhone(value),
  },
  {
    words: 'names of people',
    says: /\b((first|last|middle|given|family|maiden|full|sur|fore|nick) ?names?|surname|forename|vorname|nachname)\b|\b(customer|client|person|people|employee|patient|contact|user|driver|recipient|owner|member|student|teacher|doctor|guest|passenger|applicant|candidate|tenant) ?names?$|^recipient$/,
    fits: (value) => /^\p{L}[\p{L}\p{M}\d' ._-]{0,60}$/u.test(value),
  },
  {
    words: 'postal addresses',
    says: /^(?!.*\b(ip|mac|web|url|e ?mail|mail|memory|wallet|contract|host|network)\b).*\b(address(es)?( ?(line)? ?\d)?|street( ?(name|address))?|stra(ss|ß)e|anschrift)$/,
    fits: (value) => /\p{L}{2}/u.test(value) && /[\s\d]/.test(value),
  },
]

/** `recipientEmail`, `recipient_email` and `Recipient E-Mail` alike. */
const wordsOf = (header: string): readonly string[] =>
  header
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')

/** So many tell enough. */
const lookedAt = 500

const filledOf = (values: readonly string[]): readonly string[] =>
  values
    .map((value) => value.trim())
    .filter((value) => value !== '')
    .slice(0, lookedAt)

const share = (values: readonly string[], fits: (value: string) => boolean): number =>
  values.length === 0 ? 0 : values.filter(fits).length / values.length

/** 7 to 15 digits with what people write between them; days have as many. */
function isPhone(value: string): boolean {
  const digits = value.replace(/\D/g, '').length
  return digits >= 7 && digits <= 15 && /^\+?[\d ()/.-]+$/.test(value) && !/^\d{4}-\d\d-\d\d/.test(value)
}

const isPersonName = (value: string): boolean => /^\p{Lu}[\p{L}\p{M}'.-]+( \p{L}[\p{L}\p{M}'.-]*){1,3}$/u.test(value)

/** Of 13 to 19 digits, with a check digit by Luhn. */
export function isCardNumber(value: string): boolean {
  if (!/^\d(?:[ -]?\d){12,18}$/.test(value)) return false
  const digits = [...value.replace(/\D/g, '')].reverse().map(Number)
  if (new Set(digits).size === 1) return false
  const sum = digits.reduce((total, digit, place) => {
    const counted = place % 2 === 0 ? digit : digit * 2
    return total + (counted > 9 ? counted - 9 : counted)
  }, 0)
  return sum % 10 === 0
}

/** With its check digits, by the remainder of 97. */
function isIban(value: string): boolean {
  const bare = value.replaceAll(' ', '').toUpperCase()
  if (!/^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/.test(bare)) return false
  const digits = `${bare.slice(4)}${bare.slice(0, 4)}`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  return [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1
}
