// JSON as passages: each object of a list is a record, the rest is one line for each value.

import type { Block, RecordBlock } from './document.ts'
import { isObject } from './is-object.ts'

export function readJson(value: unknown): Block[] {
  return readValue(value, [])
}

/** JSON Lines: each line a value. Throws with the number of a line that is none. */
export function parseJsonLines(text: string): unknown[] {
  const values: unknown[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    try {
      values.push(JSON.parse(line))
    } catch (error) {
      throw new Error(`line ${index + 1} is not JSON`, { cause: error })
    }
  }
  return values
}

function readValue(value: unknown, path: readonly string[]): Block[] {
  if (Array.isArray(value) && value.some(isObject)) return value.map((item, index) => record(item, index))
  if (!isObject(value)) return [text(flatten(value, ''))]
  const entries = Object.entries(value)
  const plain = entries.filter(([, inner]) => !holdsRecords(inner))
  const lists = entries.filter(([, inner]) => holdsRecords(inner))
  const lines = plain.flatMap(([key, inner]) => flatten(inner, key))
  const own: Block[] = lines.length === 0 ? [] : [text(lines)]
  return [
    ...own,
    ...lists.flatMap(([key, inner]): Block[] => [
      { type: 'heading', level: Math.min(path.length + 1, 6), text: key, line: 1 },
      ...readValue(inner, [...path, key]),
    ]),
  ]
}

const text = (lines: readonly string[]): Block => ({ type: 'text', text: lines.join('\n'), line: 1 })

const record = (item: unknown, index: number): RecordBlock => ({
  type: 'record',
  text: flatten(item, '').join('\n'),
  details: {},
  row: `record ${index + 1}`,
})

const holdsRecords = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isObject) : isObject(value) && Object.values(value).some(holdsRecords)

/** `address.town: Bergen`, one line for each value. */
export function flatten(value: unknown, path: string): string[] {
  if (value === null || value === undefined || value === '') return []
  if (Array.isArray(value)) {
    if (!value.some((item) => typeof item === 'object')) return [line(path, value.map(String).join(', '))]
    return value.flatMap((item, index) => flatten(item, `${path}[${index}]`))
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, inner]) => flatten(inner, path === '' ? key : `${path}.${key}`))
  }
  return [line(path, String(value))]
}

const line = (path: string, value: string): string => (path === '' ? value : `${path}: ${value}`)
