// Escapes foreign text in a Markdown file, so that every program shows it as text.
import { visibleText } from '@quarterdeck/protocol'

/** Characters with a meaning anywhere in a line; as entities where programs treat backslashes differently. */
const signs: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '`': '&#96;' }

export const escapeMarkdown = (text: string): string =>
  visibleText(text).replace(/[<>&`\\*_{}[\]|~]/g, (sign) => signs[sign] ?? `\\${sign}`)

/** More characters have a meaning at the start of a line. */
export const lineStart = (line: string): string =>
  line.trim().replace(/^([-+#=:!]|\d+(?=[.)]))/, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`))

/** One line with all Markdown and HTML characters escaped. */
export const lineMarkdown = (text: string): string => lineStart(escapeMarkdown(visibleText(text).replace(/\s+/g, ' ')))

export function codeMarkdown(text: string): string {
  const flat = visibleText(text).replace(/\s+/g, ' ')
  const mark = longerThan(flat, 0)
  const space = flat === '' || /^[ `]|[ `]$/.test(flat) ? ' ' : ''
  return `${mark}${space}${flat}${space}${mark}`
}

export function fence(code: string, language: string): string {
  const text = visibleText(code)
  const mark = longerThan(text, 2)
  return `${mark}${language.replace(/[^\w+#-]/g, '')}\n${text}\n${mark}`
}

/** Longer than any run of the same character in the text. */
const longerThan = (text: string, least: number): string =>
  '`'.repeat(Math.max(least, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1)
