import type { JsonObject } from '@quarterdeck/protocol'
import { visibleText } from './visible-text.ts'

/** The argument a person recognises a call by. */
export function toolSubject(input: JsonObject): string {
  for (const name of ['command', 'file_path', 'path', 'pattern', 'description', 'url', 'query', 'prompt']) {
    const value = input[name]
    if (typeof value === 'string') return visibleText(value)
  }
  const text = JSON.stringify(input)
  return text === '{}' ? '' : visibleText(text)
}

/** One line of it, for a list of calls; an approval always shows the whole. */
export function shortSubject(input: JsonObject, width = 100): string {
  const line = toolSubject(input).replace(/\s+/g, ' ').trim()
  return line.length > width ? `${line.slice(0, width - 1)}…` : line
}
