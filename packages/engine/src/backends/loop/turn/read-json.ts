import { parseJson } from '@quarterdeck/protocol'

/**
 * The JSON value in an answer, or `undefined`. Models often put a fence around it or a sentence before it. Uses no
 * regular expressions: a malicious text could make them run forever.
 */
export function readJson(text: string): unknown {
  for (const candidate of [text, fencedIn(text), bracedIn(text)]) {
    if (candidate === null) continue
    const value = parseJson(candidate)
    if (value !== undefined) return value
  }
  return undefined
}

function fencedIn(text: string): string | null {
  const pieces = text.split('```')
  // Every second part is inside a fence; an unclosed last part is ignored.
  for (let index = 1; index < pieces.length - 1; index += 2) {
    const piece = pieces[index] ?? ''
    const lineEnd = piece.indexOf('\n')
    if (lineEnd >= 0 && ['', 'json'].includes(piece.slice(0, lineEnd).trim())) return piece.slice(lineEnd)
  }
  return null
}

function bracedIn(text: string): string | null {
  const begins = [text.indexOf('['), text.indexOf('{')].filter((index) => index >= 0)
  const end = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'))
  return begins.length === 0 ? null : text.slice(Math.min(...begins), end + 1)
}
