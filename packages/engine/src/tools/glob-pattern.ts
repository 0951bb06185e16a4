// Patterns of permission rules: `*` is any text, `\*` an asterisk, `\\` a backslash; everything else is itself.

/** A character of the text; one that no `*` may cover; or a hole that could hold any text. */
export type TextUnit =
  | { readonly type: 'char'; readonly char: string }
  | { readonly type: 'guarded'; readonly char: string }
  | { readonly type: 'hole' }

type PatternUnit = string | typeof star
const star = Symbol('any text')

export const escapePattern = (text: string): string => text.replace(/[\\*]/g, (char) => `\\${char}`)

/** The one text a pattern stands for, or null when it has a wildcard. */
export function literalPattern(pattern: string): string | null {
  const units = readPattern(pattern)
  return units.includes(star) ? null : units.map(String).join('')
}

export const plainUnits = (text: string): readonly TextUnit[] =>
  Array.from({ length: text.length }, (_, index) => ({ type: 'char', char: text[index] ?? '' }))

export const matchesText = (pattern: string, text: string): boolean => couldMatch(pattern, plainUnits(text))

/**
 * Whether some filling of the holes matches. Walks the text once with the set of places the pattern can be at, so the
 * work is bounded by both lengths multiplied.
 */
export function couldMatch(pattern: string, text: readonly TextUnit[]): boolean {
  const units = readPattern(pattern)
  let places = new Uint8Array(units.length + 1)
  places[0] = 1
  spread(places, units)
  for (const unit of text) {
    places = unit.type === 'hole' ? throughHole(places) : throughChar(places, units, unit)
    if (!places.includes(1)) return false
  }
  return places[units.length] === 1
}

function throughHole(places: Uint8Array): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(places.length)
  return next.fill(1, places.indexOf(1))
}

function throughChar(
  places: Uint8Array,
  units: readonly PatternUnit[],
  unit: Exclude<TextUnit, { type: 'hole' }>,
): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(places.length)
  for (let place = 0; place < units.length; place += 1) {
    if (places[place] !== 1) continue
    if (units[place] === star) {
      if (unit.type === 'char') next[place] = 1
    } else if (units[place] === unit.char) next[place + 1] = 1
  }
  spread(next, units)
  return next
}

/** A `*` may also be empty: whoever stands at it stands behind it too. */
function spread(places: Uint8Array, units: readonly PatternUnit[]): void {
  for (let place = 0; place < units.length; place += 1) {
    if (places[place] === 1 && units[place] === star) places[place + 1] = 1
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
