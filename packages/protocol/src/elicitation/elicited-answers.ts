// Reads the values that a person entered into the answers of a form.
import type { JsonObject } from '../values/json.ts'
import { parseJson } from '../values/parse-json.ts'
import type { ElicitedField, FieldValue, FormValues } from './elicited-fields.ts'
import { checkFormat, fromLocalTime } from './elicited-formats.ts'

type Elicited =
  | { readonly answers: JsonObject }
  /** The problem and the field it concerns. */
  | { readonly problem: string; readonly field: string }

/** Omits optional fields that are empty. */
export function elicitedAnswers(fields: readonly ElicitedField[], values: FormValues): Elicited {
  const answers: [string, unknown][] = []
  for (const field of fields) {
    const read = readElicited(field, values.get(field.name) ?? field.initial)
    if ('problem' in read) return { problem: `${field.title}: ${read.problem}`, field: field.name }
    if (read.value !== undefined) answers.push([field.name, read.value])
    else if (field.isRequired) return { problem: `${field.title}: is required`, field: field.name }
  }
  return { answers: Object.fromEntries(answers) }
}

export type ElicitedValue = { readonly value: unknown } | { readonly problem: string }

/** The value of one field as it is sent. `undefined` if the field is empty. */
export function readElicited(field: ElicitedField, value: FieldValue): ElicitedValue {
  const { kind, options, isRequired, inputType } = field
  if (typeof value === 'boolean') return { value }
  if (typeof value !== 'string') {
    const chosen = value.map((index) => options[index]?.value)
    if (kind === 'choice') return { value: chosen[0] }
    return { value: chosen.length === 0 && !isRequired ? undefined : chosen }
  }
  const text = value.trim()
  if (text === '') return { value: undefined }
  if (kind === 'number' || kind === 'integer') return readNumber(text, kind)
  if (inputType === 'datetime-local') return readMoment(text)
  if (kind === 'json') return readJson(text)
  if (inputType === 'text') return { value }
  const problem = checkFormat(inputType, text)
  return problem === null ? { value: text } : { problem }
}

function readMoment(text: string): ElicitedValue {
  const value = fromLocalTime(text)
  return value === null ? { problem: 'must be a date and a time' } : { value }
}

function readNumber(text: string, kind: 'number' | 'integer'): ElicitedValue {
  const number = Number(text)
  if (!Number.isFinite(number)) return { problem: 'must be a number' }
  return kind === 'integer' && !Number.isInteger(number) ? { problem: 'must be a whole number' } : { value: number }
}

function readJson(text: string): ElicitedValue {
  const value = parseJson(text)
  return value === undefined ? { problem: 'must be JSON' } : { value }
}
