// Removes secrets before anything is stored, logged or sent.
import { createGrowingText, type GrowingText } from './growing-text.ts'
import { findShapes, type Range } from './secret-shapes.ts'
import { plainView, type UnescapedView, unescapedView } from './unescaped-view.ts'

const redacted = '[redacted]'

/** Shorter values are also ordinary words: replacing them would hide nothing and damage text. */
const minSecretLength = 8
const maxEscapeLevels = 2
const maxDepth = 200

export interface Redactor {
  /** Idempotent; takes time in proportion to the text. */
  text(text: string): string
  /** The same JSON value with every string and every key redacted. */
  value<Value>(value: Value): Value
  /** For a text that arrives in pieces: the result equals `text` of the whole, at the cost of each piece. */
  growing(): GrowingText
}

/**
 * `secrets` are the exact values of declared secrets; keys of known shapes are always removed. A function is called
 * every time and returns a new list when it knows more.
 */
export function createRedactor(secrets: readonly string[] | (() => readonly string[])): Redactor {
  const current = typeof secrets === 'function' ? secrets : () => secrets
  let known = current()
  let spellings = allSpellings(known)
  let longest = longestOf(spellings)

  const findSecrets = (view: string) => [...findShapes(view), ...findSpellings(view, spellings)]

  function learn(): void {
    const now = current()
    if (now === known) return
    known = now
    spellings = allSpellings(known)
    longest = longestOf(spellings)
  }

  function text(input: string): string {
    learn()
    return cut(input, findRanges(input, findSecrets), redacted)
  }

  function anyValue(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return text(value)
    if (typeof value !== 'object' || value === null) return value
    // JSON this deep is most likely hostile: a value that cannot be checked is not kept.
    if (depth >= maxDepth) return redacted
    if (Array.isArray(value)) return value.map((inner) => anyValue(inner, depth + 1))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        text(key),
        isSecretField(key) && typeof inner === 'string' && inner !== '' ? redacted : anyValue(inner, depth + 1),
      ]),
    )
  }

  function secretsNow() {
    learn()
    return { known, longest }
  }

  return {
    text,
    // The shape of the value stays; only strings change.
    value: <Value>(value: Value) => anyValue(value, 0) as Value,
    growing: () => createGrowingText({ redact: text, secrets: secretsNow }),
  }
}

/** Like a redactor of these values, but replaces each value with its name, for a reader who knows the names. */
export function blankOut(named: readonly (readonly [name: string, value: string])[]): (text: string) => string {
  const known = named
    .map(([name, value]) => ({ name, spellings: allSpellings([value]) }))
    .toSorted((one, other) => (other.spellings[0]?.length ?? 0) - (one.spellings[0]?.length ?? 0))
  return (text) =>
    known.reduce(
      (so, { name, spellings }) =>
        cut(
          so,
          findRanges(so, (view) => findSpellings(view, spellings)),
          `[${name}]`,
        ),
      text,
    )
}

const allSpellings = (secrets: readonly string[]): readonly string[] => [
  ...new Set(secrets.filter(isSecret).flatMap(secretSpellings)),
]

const longestOf = (spellings: readonly string[]): number =>
  spellings.reduce((longest, { length }) => Math.max(longest, length), 0)

const isSecret = (secret: string): boolean => secret.length >= minSecretLength && !redacted.includes(secret)

const secretSpellings = (secret: string): readonly string[] => [
  secret,
  secret.trim().length >= minSecretLength ? secret.trim() : secret,
  // An unpaired surrogate cannot be encoded; such a value is searched as it is.
  secret.replace(/[^\ud800-\udfff]+/g, encodeURIComponent),
]

const isSecretField = (key: string): boolean =>
  /^(?:proxy-)?authorization$|^x-api-key$|^x-auth-token$|^(?:set-)?cookie$/i.test(key)

/** Searches the text as it is and with one and two levels of JSON escapes decoded. */
function findRanges(text: string, find: (view: string) => readonly Range[]): readonly Range[] {
  let ranges = find(text)
  let view: UnescapedView | null = text.includes('\\') ? unescapedView(plainView(text)) : null
  for (let level = 0; view !== null && level < maxEscapeLevels; level += 1) {
    const { origins } = view
    const here = find(view.text).map(({ start, end }) => ({
      start: origins[start] ?? 0,
      end: origins[end] ?? text.length,
    }))
    ranges = ranges.concat(here)
    view = unescapedView(view)
  }
  return ranges
}

function findSpellings(text: string, spellings: readonly string[]): readonly Range[] {
  const ranges: Range[] = []
  for (const spelling of spellings) {
    for (let at = text.indexOf(spelling); at !== -1; at = text.indexOf(spelling, at + spelling.length)) {
      ranges.push({ start: at, end: at + spelling.length })
    }
  }
  return ranges
}

/** Overlapping ranges become one. */
function cut(text: string, ranges: readonly Range[], instead: string): string {
  if (ranges.length === 0) return text
  const sorted = [...ranges].sort((left, right) => left.start - right.start)
  let result = ''
  let at = 0
  let open: { start: number; end: number } | null = null
  const close = () => {
    if (open === null) return
    result += text.slice(at, open.start) + instead
    at = open.end
    open = null
  }
  for (const { start, end } of sorted) {
    if (open !== null && start < open.end) open.end = Math.max(open.end, end)
    else {
      close()
      open = { start, end }
    }
  }
  close()
  return result + text.slice(at)
}
