// The text of a model or a tool may contain characters that hide text or reverse its order. A person who approves a
// command must see the command that runs.

const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is looked for
  /\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u200B\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu

/**
 * Control, bidirectional, zero-width and tag characters become their numbers; line ends and tabs stay. A lone carriage
 * return would overwrite the line. The flags of England, Scotland and Wales are written with tags: they are shown as
 * numbers too.
 */
export const visibleText = (text: string): string => text.replace(hidden, numberOf)

/** Equivalent for JSON parsers: a character beyond the first 65,536 is written there as a surrogate pair. */
export const visibleJson = (json: string): string => json.replace(hidden, (character) => halves(character).join(''))

const halves = (character: string): readonly string[] =>
  character.split('').map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)

function numberOf(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16)
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`
}
