// Expands `a{b,c}` into words, as the shell does.

const maxWords = 64
const maxBraces = 16

/** Null if there are too many. A range such as `{a..e}` becomes a `*`. */
export function expandBraces(text: string): readonly string[] | null {
  if (text.split('{').length > maxBraces) return null
  const done: string[] = []
  const open = [text]
  while (open.length > 0) {
    const next = open.pop() ?? ''
    const choices = firstChoice(next)
    if (choices === null) done.push(next)
    else open.push(...choices)
    if (done.length + open.length > maxWords) return null
  }
  return done
}

/** The first pair of braces with alternatives, expanded; null if there is none. */
function firstChoice(text: string): readonly string[] | null {
  for (let start = text.indexOf('{'); start !== -1; start = text.indexOf('{', start + 1)) {
    const found = choicesAt(text, start)
    if (found === null) continue
    const { pieces, end } = found
    const before = text.slice(0, start)
    const after = text.slice(end + 1)
    const [only = ''] = pieces
    if (pieces.length > 1) return pieces.map((piece) => before + piece + after)
    if (only.includes('..')) return [`${before}*${after}`]
  }
  return null
}

function choicesAt(text: string, start: number): { pieces: readonly string[]; end: number } | null {
  const pieces: string[] = []
  let depth = 0
  let from = start + 1
  for (let at = start; at < Math.min(text.length, start + 4096); at += 1) {
    const char = text[at]
    if (char === '{') depth += 1
    else if (char === '}') depth -= 1
    const isEnd = depth === 0
    if (!isEnd && !(char === ',' && depth === 1)) continue
    pieces.push(text.slice(from, at))
    if (isEnd) return { pieces, end: at }
    from = at + 1
  }
  return null
}
