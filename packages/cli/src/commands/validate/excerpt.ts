// The line of a file that a problem stands in. A line that may hold a secret is never shown.
import { namesSecret, readText } from '@quarterdeck/engine'

export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  /** Where in the values: `tools[0].env.TOKEN`. */
  readonly path: string
}

/** `null` where the file has no such line any more, where the line is empty, or where it may hold a secret. */
export type Excerpt = (place: Place) => Promise<string | null>

const longest = 160
const largest = 1024 * 1024
const keys = /(?<name>[\w-]+)["']?\s*[:=]/g
/** Long, with letters and digits mixed, and no path: what keys look like. */
const keyLike = /(?<![\w/.-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}/
/** An address with a name, a question or something key-like in it. */
const tellingAddress = /:\/\/\S*(?:[@?]|[\w-]{20,})/

const namesOne = (text: string): boolean =>
  [...text.matchAll(keys)].some(({ groups }) => namesSecret(groups?.name ?? ''))

export function createExcerpts(): Excerpt {
  const files = new Map<string, Promise<readonly string[]>>()
  const linesOf = (file: string): Promise<readonly string[]> => {
    const known = files.get(file)
    if (known !== undefined) return known
    // A folder, a pipe, something endless, or a file that is gone: its problem says so.
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
      [keyLike, tellingAddress].some((one) => one.test(text))
    )
      return null
    return text
  }
}

/** The line with its number, and a mark below the column. */
export function excerptLines(excerpt: string, { line, column }: Place): readonly string[] {
  const number = String(line)
  const before = excerpt.slice(0, column - 1).replaceAll(/[^\t]/g, ' ')
  return [`${number} | ${excerpt}`, `${' '.repeat(number.length)} | ${before}^`]
}
