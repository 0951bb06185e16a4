/** A text with its JSON escapes decoded, and the origin of every character (and of the end). */
export interface UnescapedView {
  readonly text: string
  readonly origins: readonly number[]
}

const named: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '"': '"',
  '/': '/',
  '\\': '\\',
}

/** Decodes one level of escapes; anything else stays. Null if there is nothing to decode. */
export function unescapedView(view: UnescapedView): UnescapedView | null {
  const { text, origins } = view
  if (!text.includes('\\')) return null
  const chars: string[] = []
  const newOrigins: number[] = []
  let at = 0
  while (at < text.length) {
    const found = decodeAt(text, at)
    newOrigins.push(origins[at] ?? 0)
    chars.push(found?.char ?? text[at] ?? '')
    at += found?.length ?? 1
  }
  newOrigins.push(origins[text.length] ?? 0)
  return { text: chars.join(''), origins: newOrigins }
}

export const plainView = (text: string): UnescapedView => ({
  text,
  origins: Array.from({ length: text.length + 1 }, (_, index) => index),
})

function decodeAt(text: string, at: number): { char: string; length: number } | null {
  if (text[at] !== '\\') return null
  const kind = text[at + 1] ?? ''
  if (kind === 'u') {
    const digits = text.slice(at + 2, at + 6)
    if (!/^[0-9A-Fa-f]{4}$/.test(digits)) return null
    return { char: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 }
  }
  const char = named[kind]
  return char === undefined ? null : { char, length: 2 }
}
