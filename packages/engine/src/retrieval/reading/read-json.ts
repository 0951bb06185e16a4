// JSON as blocks: each object of a list is a record; every other value becomes a line.
import { isRecord } from '@quarterdeck/protocol'
import type { DocumentBlock, RecordBlock } from './document.ts'

/** Iterative: values may be nested very deeply. */
export function* readJson(value: unknown): Generator<DocumentBlock> {
  const known: Known = new Map()
  const ahead: { readonly value: unknown; readonly heading: string | null; readonly level: number }[] = [
    { value, heading: null, level: 0 },
  ]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const { value, heading, level } = next
    if (heading !== null) yield { type: 'heading', level: Math.min(level, 6), text: heading, line: 1 }
    if (Array.isArray(value) && value.some(isRecord))
      for (const [index, item] of value.entries()) yield recordOf(item, index)
    else if (!isRecord(value)) yield text(flatten(value, ''))
    else {
      const entries = Object.entries(value)
      const lines = entries.flatMap(([key, inner]) => (holdsRecords(inner, known) ? [] : flatten(inner, key)))
      if (lines.length > 0) yield text(lines)
      for (const [key, inner] of entries.toReversed()) {
        if (holdsRecords(inner, known)) ahead.push({ value: inner, heading: key, level: level + 1 })
      }
    }
  }
}

/** JSON Lines: one value per line. Throws with the number of an invalid line. */
export function* parseJsonLines(text: string): Generator<unknown> {
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    yield parseLine(line, index + 1)
  }
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new Error(`line ${number} is not JSON`, { cause: error })
  }
}

/** Whether there are records below an object. Cached, because every level asks again. */
type Known = Map<unknown, boolean>

const text = (lines: readonly string[]): DocumentBlock => ({ type: 'text', text: lines.join('\n'), line: 1 })

function recordOf(item: unknown, index: number): RecordBlock {
  return { type: 'record', text: flatten(item, '').join('\n'), details: {}, row: `record ${index + 1}` }
}

function holdsRecords(value: unknown, known: Known): boolean {
  if (typeof value !== 'object' || value === null) return false
  const before = known.get(value)
  if (before !== undefined) return before
  const found = Array.isArray(value)
    ? value.some(isRecord)
    : Object.values(value).some((inner) => holdsRecords(inner, known))
  known.set(value, found)
  return found
}

/** `address.town: Bergen`, one line per value. */
export function flatten(value: unknown, path: string): string[] {
  if (value === null || value === undefined || value === '') return []
  if (Array.isArray(value)) {
    if (!value.some((item) => typeof item === 'object')) return [line(path, value.map(String).join(', '))]
    return value.flatMap((item, index) => flatten(item, `${path}[${index}]`))
  }
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([key, inner]) => flatten(inner, path === '' ? key : `${path}.${key}`))
  }
  return [line(path, String(value))]
}

const line = (path: string, value: string): string => (path === '' ? value : `${path}: ${value}`)
