// Values in a sentence that a field could need: numbers, dates, addresses, names, quotes.
import { isFiller } from '../../replies/words.ts'

const numberPattern = /(?<![\w.,-])-?\d+(?:[.,]\d+)?(?![\w]|[.,]\d)/g

export const numbersIn = (text: string): number[] =>
  (text.match(numberPattern) ?? []).map((each) => Number(each.replace(',', '.')))

/** Text after a colon or in quotes, which is meant literally. */
export function quotedIn(text: string): string | null {
  const quoted = /["“„`]([^"”“`]+)["”“`]|(?<!\w)'([^']+)'(?!\w)/.exec(text)
  const mentioned = quoted?.[1] ?? quoted?.[2] ?? /:\s+(\S[\s\S]*)$/.exec(text)?.[1]
  return mentioned ? mentioned.trim().replace(/(?<=\w)[.]$/, '') : null
}

export const pathIn = (text: string): string | null =>
  /(?:^|[\s`"'(])((?:[\w~.-]*\/[\w./~-]*|[\w-]+\.[A-Za-z]\w{0,4}))(?=$|[\s`"'),.?!:])/.exec(text)?.[1] ?? null

/** Letters and digits together, as in the numbers of orders, invoices and parts. */
export const codeIn = (text: string): string | null =>
  /\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z\d]+(?:-[A-Za-z\d]+)*\b/.exec(text)?.[0] ?? null

export const addressIn = (text: string): string | null => /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(text)?.[0] ?? null

export const urlIn = (text: string): string | null => /https?:\/\/[^\s"'<>)]+/.exec(text)?.[0] ?? null

// A full stop ends a name, except after an abbreviation ("Mr. Smith") or within one ("U.N.").
const namePart = String.raw`\p{Lu}(?:[\p{L}\d&'-]|\.(?=\S)|(?<=\b\p{Lu}\p{Ll}{0,2})\.)*`
const namePattern = String.raw`(${namePart}(?:\s+${namePart})*)`
const openingWord = /^(?:hello|hi|hey|please|thanks|yes|today|tomorrow|yesterday|here|now)$/

function nameBy(sign: string, text: string, after = ''): string | null {
  const found = new RegExp(`${sign}${namePattern}${after}`, 'u').exec(text)?.[1]?.replace(/[.'-]+$/, '')
  const first = found?.split(/\s/)[0]?.toLowerCase() ?? ''
  return found && !isFiller(first) && !openingWord.test(first) ? found : null
}

/** The name at the start of a sentence: "Anna lives in Berlin", "Paris, 21 degrees". */
const subjectIn = (text: string) => nameBy('(?:^|[.!?]\\s+)', text, '(?=\\s*,|\\s+\\p{Ll}*s\\b)')

/** A name with an introduction: "of Harbour Paper", "my name is Ada". */
export const nameIn = (text: string): string | null =>
  nameBy('\\b(?:of|from|by|for|is|at)\\s+', text) ?? subjectIn(text)

/** A place: "in Oslo", "near New York City". */
export const placeIn = (text: string): string | null =>
  nameBy('\\b(?:[Ii]n|[Nn]ear|[Aa]t|[Ff]rom|to|of|for)\\s+', text) ?? subjectIn(text)

const months = 'january february march april may june july august september october november december'.split(' ')

/** As schemas require it: year, month, day. */
export function dateIn(text: string): string | null {
  const iso = /\b\d{4}-\d{2}-\d{2}\b/.exec(text)?.[0]
  if (iso) return iso
  const spelled =
    /\b(?:(\d{1,2})(?:st|nd|rd|th|\.)?\s+)?([A-Za-z]{3,9})\.?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})\b/g
  for (const [, before, word = '', after, year] of text.matchAll(spelled)) {
    const month = months.findIndex((name) => name.startsWith(word.toLowerCase()))
    const day = before ?? after
    if (month !== -1 && day) return `${year}-${twoDigits(month + 1)}-${twoDigits(Number(day))}`
  }
  const dotted = /\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/.exec(text)
  return dotted ? `${dotted[3]}-${twoDigits(Number(dotted[2]))}-${twoDigits(Number(dotted[1]))}` : null
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** An amount of money, or a number with a fraction, as in totals. */
export function amountIn(text: string): number | null {
  const number = '(\\d+(?:[.,]\\d+)?)'
  const money =
    new RegExp(
      `(?:[$€£]|\\b(?:EUR|USD|GBP|CHF)\\b)\\s*${number}|${number}\\s*(?:[$€£]|\\b(?:EUR|USD|GBP|CHF|euros?|dollars?)\\b)`,
    ).exec(text) ?? /(\d+[.,]\d{2})\b/.exec(text)
  const found = money?.[1] ?? money?.[2]
  return found ? Number(found.replace(',', '.')) : null
}

/** The first piece of a text that matches the pattern of a field. */
export function patternIn(pattern: unknown, text: string, isWelcome = (_piece: string) => true): string | null {
  if (typeof pattern !== 'string') return null
  try {
    const whole = new RegExp(pattern, 'u')
    const pieces = text.matchAll(new RegExp(pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, ''), 'gu'))
    for (const [piece] of pieces) if (whole.test(piece) && isWelcome(piece)) return piece
    return null
  } catch {
    // Written for another dialect of regular expressions.
    return null
  }
}
