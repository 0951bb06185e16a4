// Finds the numbers of a text as a reader understands them.

export interface NumberToken {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly value: number
  /** Whether it has its own plus or minus sign. */
  readonly isSigned: boolean
  /** Half a unit of the last digit. */
  readonly tolerance: number
  /** Whether a cell may contain it as a fraction of one. */
  readonly isShare: boolean
  /** A year, day of a month or rank: counts only if the model claims it. */
  readonly isQuiet: boolean
  /** Whether nearby words describe a decrease. */
  readonly isLoss: boolean
}

/** `names`: texts with digits that are not numbers, such as values of text columns. */
export function numberTokens(text: string, names: Iterable<string> = []): readonly NumberToken[] {
  const masked = maskLeftAlone(text, names)
  const marks = hasDecimalComma(masked) ? commaMarks : pointMarks
  return [...masked.matchAll(marks.pattern)].flatMap((match) => tokenOf({ text, masked, marks }, match) ?? [])
}

/** The number of a text cell that consists of one number. */
export function numberOf(text: string): NumberToken | null {
  const trimmed = text.trim()
  if (trimmed.length > 40) return null
  const [only] = numberTokens(trimmed)
  return only !== undefined && only.start === 0 && only.end === trimmed.length ? only : null
}

interface Marks {
  readonly pattern: RegExp
  readonly thousands: RegExp
  readonly decimal: string
}

interface Source {
  readonly text: string
  readonly masked: string
  readonly marks: Marks
}

const blanks = '\\u00a0\\u202f\\u2009'
const pointMarks = marksOf(`,'’${blanks}`, '.')
const commaMarks = marksOf(`.'’${blanks}`, ',')

function marksOf(thousands: string, decimal: string): Marks {
  const point = decimal === '.' ? '\\.' : decimal
  const digits = `\\d{1,3}(?:[${thousands}]\\d{3})+(?!\\d)(?:${point}\\d+)?|\\d+(?:${point}\\d+)?`
  const scale = `(?:[ ${blanks}]?(?:thousand|million|billion|bn|[kKMB])(?![\\p{L}\\p{N}_]))`
  const percent = `[ ${blanks}]?%`
  return {
    pattern: new RegExp(
      `(?<sign>(?<![\\p{L}\\p{N}_)%])[-−–+])?(?<money>[$€£¥])?(?<digits>${digits})(?<million>m(?![\\p{L}\\p{N}_]))?(?<scale>${scale})?(?<percent>${percent})?(?:[ ${blanks}]?[€£¥])?`,
      'gu',
    ),
    thousands: new RegExp(`[${thousands}]`, 'g'),
    decimal,
  }
}

/** Whether the answer uses decimal commas: it has such a number and none that allows only the other reading. */
function hasDecimalComma(masked: string): boolean {
  const comma = /(?<![\d,.])\d+,\d{1,2}(?![\d,])|\d\.\d{3},\d|\d\.\d{3}\.\d{3}(?!\d)/.test(masked)
  return comma && !/(?<![\d,.])\d+\.\d{1,2}(?![\d.])|\d,\d{3}\.\d|\d,\d{3},\d{3}/.test(masked)
}

const factors: Readonly<Record<string, number>> = {
  k: 1e3,
  K: 1e3,
  thousand: 1e3,
  m: 1e6,
  M: 1e6,
  million: 1e6,
  B: 1e9,
  bn: 1e9,
  billion: 1e9,
}
const units = /^(?:ms|s|min|h|d|kg|g|t|km|cm|mm|m|[kKMGT]B|x|×|pp|pts?|°[CF])(?![\p{L}\p{N}_])/u
const losses =
  /\b(?:fell|fall(?:s|en|ing)?|dropp?(?:s|ed|ing)?|declin\w*|decreas\w*|lower|less|fewer|lost|los[es]\w*|down|shrank|shrunk|reduc\w*|minus|below|behind|negative)\b/i
const counters =
  /\b(?:top|first|last|next|past|previous|no\.|nr\.|number|week|month|day|quarter|hour|rank|page|row|line|group|class|level|zone)\s+$/i
const months = '(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|ember|ober)?'
const beforeDay = new RegExp(`\\b${months}\\.?\\s+$`, 'i')
const afterDay = new RegExp(`^\\.?\\s+(?:of\\s+)?${months}\\b`, 'i')

function tokenOf({ text, masked, marks }: Source, match: RegExpMatchArray): NumberToken | null {
  const { sign, money, digits = '', million, scale, percent } = match.groups ?? {}
  const start = match.index ?? 0
  // `m` is a metre or a million: after a currency sign it is a million.
  const isMillions = million !== undefined && money !== undefined
  const end =
    start + match[0].length - (million !== undefined && !isMillions ? match[0].length - lengthToDigits(match) : 0)
  if (isPartOfName(masked, start, end)) return null
  const [whole = '', decimals = ''] = digits.replace(marks.thousands, '').split(marks.decimal)
  const factor = isMillions ? 1e6 : (factors[(scale ?? '').trim().replaceAll(/[\u00a0\u202f\u2009]/g, '')] ?? 1)
  const size = Number(`${whole}.${decimals || '0'}`) * factor
  const after = masked.slice(end, end + 24)
  const isBare = [sign, money, million, scale, percent].every((part) => part === undefined) && decimals === ''
  return {
    start,
    end,
    text: text.slice(start, end),
    value: sign !== undefined && sign !== '+' ? -size : size,
    isSigned: sign !== undefined,
    tolerance: 0.5 * 10 ** -decimals.length * factor,
    isShare: percent !== undefined || /^\s*(?:percent\b|per cent\b|percentage|points?\b|pp\b|pts?\b)/i.test(after),
    isQuiet: isBare && isQuietAt(masked, { start, digits, after }),
    isLoss: losses.test(sentenceRound(masked, start, end)),
  }
}

/** Up to and including the digits. */
const lengthToDigits = ({ groups = {} }: RegExpMatchArray): number =>
  [groups.sign, groups.money, groups.digits].reduce((sum, part) => sum + (part?.length ?? 0), 0)

function isPartOfName(masked: string, start: number, end: number): boolean {
  if (/[\p{L}\p{N}_#@/\\]/u.test(masked[start - 1] ?? '') || /\d[.,]$/.test(masked.slice(0, start))) return true
  const after = masked.slice(end, end + 8)
  if (/^[\p{L}_]/u.test(after)) return !units.test(after)
  return /^[-‑]\p{L}/u.test(after) || /^[/.,]\d/.test(after)
}

function isQuietAt(masked: string, at: { readonly start: number; readonly digits: string; readonly after: string }) {
  if (/^(?:19|20)\d\d$/.test(at.digits)) return true
  const before = masked.slice(Math.max(0, at.start - 24), at.start)
  if (counters.test(before)) return true
  return Number(at.digits) <= 31 && (beforeDay.test(before) || afterDay.test(at.after))
}

function sentenceRound(masked: string, start: number, end: number): string {
  const before =
    masked
      .slice(Math.max(0, start - 60), start)
      .split(/[.;!?]\s|\n/)
      .at(-1) ?? ''
  const after = masked.slice(end, end + 30).split(/[.,;!?]\s|\n/)[0] ?? ''
  return `${before} ${after}`
}

/** Digits of an answer that are not claims: code, addresses, dates, times, versions and references to steps. */
const masks: readonly RegExp[] = [
  /(^|\n) {0,3}(`{3,}|~{3,})[\s\S]*?(?:\n {0,3}\2|$)/g,
  /(`+)[^`]+?\1/g,
  /!?\[[^\]]*\]\([^)]*\)/g,
  /https?:\/\/\S+/g,
  /^[ \t>]*\d{1,9}[.)](?=\s)/gm,
  /\d{4}-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}[\d:.]*Z?)?(?![\d%])/g,
  /\d{1,2}\/\d{1,2}\/\d{2,4}|\d{1,2}\.\d{1,2}\.\d{2,4}(?!\d)/g,
  /\d{1,2}:\d{2}(?::\d{2})?/g,
  /(?<![\d.])(?!\d{1,3}(?:\.\d{3})+(?![\d.]))\d+(?:\.\d+){2,}/g,
  /\d+\/\d+/g,
  /\bsteps?[ _#]*\d+(?![\d]|[.,]\d|\s?%)(?:(?:\s*(?:,|and|&|to|–|-)\s*)\d+(?![\d]|[.,]\d|\s?%))*/gi,
  /(?<!\d)(?:19|20)\d\d\s?[-–/]\s?(?:\d\d|(?:19|20)\d\d)(?![\d.,%])/g,
]

/** Replaces every match of `masks`, and every name, with letters of the same length, so that positions stay. */
function maskLeftAlone(text: string, names: Iterable<string>): string {
  let masked = text
  for (const mask of masks) masked = masked.replace(mask, cover)
  for (const name of names) {
    if (!/\d/.test(name) || !/\p{L}/u.test(name)) continue
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
      if (isWordPart(text[at - 1]) || isWordPart(text[at + name.length])) continue
      masked = masked.slice(0, at) + cover(name) + masked.slice(at + name.length)
    }
  }
  return masked
}

const cover = (part: string): string => 'x'.repeat(part.length)

const isWordPart = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character)
