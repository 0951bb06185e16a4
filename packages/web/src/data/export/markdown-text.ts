// Text of somebody else inside a Markdown file: it stays text, in whatever program shows the file.
import { visibleText } from '@quarterdeck/protocol'

/** Signs that mean something anywhere in a line; as entities where programs differ on what a backslash does. */
const signs: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '`': '&#96;' }

export const escapeMarkdown = (text: string): string =>
  visibleText(text).replace(/[<>&`\\*_{}[\]|~]/g, (sign) => signs[sign] ?? `\\${sign}`)

/** At the start of a line some more signs mean something. */
export const lineStart = (line: string): string =>
  line.trim().replace(/^([-+#=:!]|\d+(?=[.)]))/, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`))

/** On one line, with every sign of Markdown and HTML as itself. */
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

/** Longer than any row of the same sign in it. */
const longerThan = (text: string, least: number): string =>
  '`'.repeat(Math.max(least, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1)
