// The line of a file in which a problem was found. Lines that may hold a secret are never shown.
import { namesSecret, readText } from '@quarterdeck/engine'

interface ProblemPosition {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The path of the value: `tools[0].env.TOKEN`. */
  readonly path: string
}

/** `null` if the file has no such line, the line is empty, or it may hold a secret. */
type Excerpt = (position: ProblemPosition) => Promise<string | null>

const longest = 160
const largest = 1024 * 1024
const keys = /(?<name>[\w-]+)["']?\s*[:=]/g
/** Long, with letters and digits mixed, and not a path: looks like a key. */
const keyLike = /(?<![\w/.-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}/
/** A URL with a user name, a query or something that looks like a key. */
const revealingUrl = /:\/\/\S*(?:[@?]|[\w-]{20,})/

const namesOne = (text: string): boolean =>
  [...text.matchAll(keys)].some(({ groups }) => namesSecret(groups?.name ?? ''))

export function createExcerpts(): Excerpt {
  const files = new Map<string, Promise<readonly string[]>>()
  const linesOf = (file: string): Promise<readonly string[]> => {
    const known = files.get(file)
    if (known !== undefined) return known
    // A folder, a pipe, an endless file or a deleted one: the problem itself reports it.
    const read = readText(file, largest).then((found) => (found.type === 'text' ? found.text.split(/\r?\n/) : []))
    files.set(file, read)
    return read
  }
  return async ({ file, line, path }) => {
    const text = (await linesOf(file))[line - 1]?.trimEnd() ?? ''
    if (text === '' || text.length > longest) return null
    if (
      /(?:^|\.)(?:env|headers)(?:\.|$)/.test(path) ||
      namesOne(text) ||
      [keyLike, revealingUrl].some((one) => one.test(text))
    )
      return null
    return text
  }
}

/** The line with its number, and a marker below the column. */
export function excerptLines(excerpt: string, { line, column }: ProblemPosition): readonly string[] {
  const number = String(line)
  const before = excerpt.slice(0, column - 1).replaceAll(/[^\t]/g, ' ')
  return [`${number} | ${excerpt}`, `${' '.repeat(number.length)} | ${before}^`]
}
