// The structured mode of a vectorstore: named fields of each row or object are searched, others are shown with the
// result.
import { isRecord, type VectorstoreTool } from '@quarterdeck/protocol'
import type { RecordBlock } from './document.ts'
import type { CsvRow } from './parse-csv.ts'
import { flatten } from './read-json.ts'

export type RecordShape = NonNullable<VectorstoreTool['records']>

interface Found {
  readonly record: unknown
  /** The parents of the record, nearest first: missing fields are inherited from them. */
  readonly parents: readonly unknown[]
}

export function recordOfRow({ header, cells, number }: CsvRow, shape: RecordShape): RecordBlock {
  const record = Object.fromEntries(cells.map((cell, index) => [header[index] ?? '', cell]))
  return toRecord({ record, parents: [] }, shape, `row ${number}`)
}

export function* recordsOfJson(value: unknown, shape: RecordShape): Generator<RecordBlock> {
  const path = shape.recordPath === null ? [] : shape.recordPath.split('.')
  let number = 0
  for (const item of descend({ record: value, parents: [] }, path, shape.recordPath ?? '')) {
    yield toRecord(item, shape, `record ${++number}`)
  }
}

function* descend({ record, parents }: Found, path: readonly string[], whole: string): Generator<Found> {
  const [key, ...rest] = path
  if (Array.isArray(record)) for (const item of record) yield* descend({ record: item, parents }, path, whole)
  else if (key === undefined) yield { record, parents }
  else if (!isRecord(record) || !(key in record)) throw new Error(`record_path "${whole}": there is no "${key}"`)
  else yield* descend({ record: record[key], parents: [record, ...parents] }, rest, whole)
}

function toRecord(found: Found, shape: RecordShape, label: string): RecordBlock {
  const { vectorFields, idField, metaFields, recordPrefix, metaPrefix, fieldSeparator } = shape
  const id = fieldText(found, idField)
  if (id === null) throw new Error(`${label} has no "${idField}" (id_field)`)
  const values = vectorFields.flatMap((field) => {
    const value = fieldText(found, field)
    return value === null
      ? []
      : [vectorFields.length === 1 && recordPrefix === '' ? value : `${recordPrefix}${field}: ${value}`]
  })
  if (values.length === 0) throw new Error(`${label} has no text in ${vectorFields.join(', ')} (vector_field)`)
  const details = metaFields.flatMap((field) => {
    const value = fieldText(found, field)
    return value === null ? [] : [[`${metaPrefix}${field}`, value] as const]
  })
  return { type: 'record', text: values.join(fieldSeparator), details: Object.fromEntries(details), row: id }
}

function fieldText({ record, parents }: Found, field: string): string | null {
  for (const holder of [record, ...parents]) {
    const value = valueAt(holder, field)
    if (value === undefined || value === null || value === '') continue
    return typeof value === 'object' ? flatten(value, '').join(', ') : String(value)
  }
  return null
}

/** A field by its name, or by a path with dots. */
function valueAt(holder: unknown, field: string): unknown {
  if (!isRecord(holder)) return undefined
  if (field in holder) return holder[field]
  return field.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), holder)
}
