// Patterns of permission rules: `*` is any text, `\*` an asterisk, `\\` a backslash; every other character is literal.

/** A character of the text, one that no `*` may match, or a hole that could be any text. */
export type TextUnit =
  | { readonly type: 'char'; readonly char: string }
  | { readonly type: 'guarded'; readonly char: string }
  | { readonly type: 'hole' }

type PatternUnit = string | typeof star
const star = Symbol('any text')

export const escapePattern = (text: string): string => text.replace(/[\\*]/g, (char) => `\\${char}`)

/** The only text that a pattern matches, or null if it has a wildcard. */
export function literalPattern(pattern: string): string | null {
  const units = readPattern(pattern)
  return units.includes(star) ? null : units.map(String).join('')
}

export const plainUnits = (text: string): readonly TextUnit[] =>
  Array.from({ length: text.length }, (_, index) => ({ type: 'char', char: text[index] ?? '' }))

export const matchesText = (pattern: string, text: string): boolean => couldMatch(pattern, plainUnits(text))

/**
 * Whether some content of the holes matches. Reads the text once with the set of possible pattern positions, so the
 * work is bounded by the product of both lengths.
 */
export function couldMatch(pattern: string, text: readonly TextUnit[]): boolean {
  const units = readPattern(pattern)
  let states = new Uint8Array(units.length + 1)
  states[0] = 1
  spread(states, units)
  for (const unit of text) {
    states = unit.type === 'hole' ? throughHole(states) : throughChar(states, units, unit)
    if (!states.includes(1)) return false
  }
  return states[units.length] === 1
}

function throughHole(states: Uint8Array): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(states.length)
  return next.fill(1, states.indexOf(1))
}

function throughChar(
  states: Uint8Array,
  units: readonly PatternUnit[],
  unit: Exclude<TextUnit, { type: 'hole' }>,
): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(states.length)
  for (let state = 0; state < units.length; state += 1) {
    if (states[state] !== 1) continue
    if (units[state] === star) {
      if (unit.type === 'char') next[state] = 1
    } else if (units[state] === unit.char) next[state + 1] = 1
  }
  spread(next, units)
  return next
}

/** A `*` may also be empty: a position at it includes the position after it. */
function spread(states: Uint8Array, units: readonly PatternUnit[]): void {
  for (let state = 0; state < units.length; state += 1) {
    if (states[state] === 1 && units[state] === star) states[state + 1] = 1
  }
}

function readPattern(pattern: string): readonly PatternUnit[] {
  const units: PatternUnit[] = []
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] ?? ''
    const next = pattern[at + 1]
    if (char === '\\' && (next === '*' || next === '\\')) {
      units.push(next)
      at += 1
    } else units.push(char === '*' ? star : char)
  }
  return units
}
