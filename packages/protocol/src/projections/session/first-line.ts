const longestLine = 120

/** One line of a text, short enough for a list. */
export function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  if (line.length <= longestLine) return line
  // By characters, not by code units: a lone surrogate makes the whole reply unreadable for strict parsers. A character
  // has at most two code units, so this much of the line is enough to know whether it is too long.
  const characters = Array.from(line.slice(0, 2 * longestLine + 2))
  return characters.length <= longestLine ? line : `${characters.slice(0, longestLine - 1).join('')}…`
}
