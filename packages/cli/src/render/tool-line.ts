// A tool call as a person reads it: in a list one line, in an approval the whole input.
import { relative } from 'node:path'
import { type JsonObject, visibleText } from '@quarterdeck/protocol'

const identifying = ['command', 'file_path', 'path', 'pattern', 'description', 'url', 'query', 'prompt'] as const

/** The argument a call is recognised by; paths inside the working directory are shown from there. */
function toolSubject(input: JsonObject, cwd: string): string {
  for (const name of identifying) {
    const value = input[name]
    if (typeof value !== 'string') continue
    return visibleText(name === 'file_path' || name === 'path' ? shortPath(value, cwd) : value)
  }
  const text = JSON.stringify(input)
  return text === '{}' ? '' : visibleText(text)
}

export function shortSubject(input: JsonObject, cwd: string, width = 100): string {
  const line = toolSubject(input, cwd).replace(/\s+/g, ' ').trim()
  return line.length > width ? `${line.slice(0, width - 1)}…` : line
}

/** Nothing is left out and nothing is cut: this is what a person decides on. */
export function wholeCall(input: JsonObject, cwd: string): readonly string[] {
  const { command, description, file_path, old_string, new_string, ...rest } = input
  const lines: string[] = []
  if (typeof command === 'string') lines.push(...command.split('\n'))
  if (typeof file_path === 'string') lines.push(shortPath(file_path, cwd))
  if (typeof old_string === 'string') lines.push(...old_string.split('\n').map((line) => `- ${line}`))
  if (typeof new_string === 'string') lines.push(...new_string.split('\n').map((line) => `+ ${line}`))
  const others = Object.entries(rest).filter(([, value]) => value !== false && value !== undefined)
  if (others.length > 0) lines.push(...JSON.stringify(Object.fromEntries(others), null, 2).split('\n'))
  if (typeof description === 'string') lines.push(`why: ${description}`)
  return lines.map(visibleText)
}

function shortPath(path: string, cwd: string): string {
  const way = relative(cwd, path)
  return way === '' || way.startsWith('..') ? path : way
}
