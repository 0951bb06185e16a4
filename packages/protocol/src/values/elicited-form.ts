// The form that an MCP server requests: a flat object of plain values. The schema is untrusted: fields it describes in
// an unknown way are entered as JSON, never dropped.
import { z } from 'zod'
import { asJsonObject, type JsonObject } from './json.ts'
import { parseJson } from './parse-json.ts'

export interface ElicitedField {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly kind: 'text' | 'long-text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'json'
  /** The options of a choice. */
  readonly options: readonly { readonly value: unknown; readonly label: string }[]
  readonly isRequired: boolean
  readonly inputType: 'text' | 'email' | 'url' | 'date' | 'datetime-local'
  readonly initial: FieldValue
}

/** The value of a field in the form: its text, a tick, or the indexes of the chosen options. */
export type FieldValue = string | boolean | readonly number[]
export type FormValues = ReadonlyMap<string, FieldValue>

export function elicitedFields(schema: JsonObject): readonly ElicitedField[] {
  const required = requiredOf(schema)
  return Object.entries(asJsonObject(schema.properties)).map(([name, value]) => {
    const property = asJsonObject(value)
    const { kind, options } = shapeOf(property)
    const inputType = kind === 'text' ? inputTypeOf(property) : 'text'
    const initial = initialOf(property.default, kind, options)
    return {
      name,
      title: textOf(property.title) || name,
      description: textOf(property.description),
      kind,
      options,
      isRequired: required.includes(name),
      inputType,
      initial: inputType === 'datetime-local' ? (toLocalTime(textOf(initial)) ?? '') : initial,
    }
  })
}

const requiredOf = ({ required }: JsonObject): readonly string[] =>
  listOf(required).filter((name) => typeof name === 'string')

const inputTypes: Readonly<Record<string, ElicitedField['inputType']>> = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
}

const inputTypeOfFormat = (format: unknown): ElicitedField['inputType'] =>
  (typeof format === 'string' && Object.hasOwn(inputTypes, format) ? inputTypes[format] : undefined) ?? 'text'

/** As `format: date-time` requires it, with seconds and a time zone. */
const fullTime = z.iso.datetime({ offset: true }).regex(/T\d{2}:\d{2}:\d{2}/)

const formats: Readonly<Record<ElicitedField['inputType'], { readonly schema: z.ZodType; readonly problem: string }>> =
  {
    text: { schema: z.string(), problem: 'must be a text' },
    email: { schema: z.email(), problem: 'must be an email address' },
    url: { schema: z.url(), problem: 'must be an address like https://example.com' },
    date: { schema: z.iso.date(), problem: 'must be a date like 2026-05-04' },
    'datetime-local': {
      schema: fullTime,
      problem: 'must be a date and a time with a time zone, like 2026-05-04T10:00:00Z',
    },
  }

function checkFormat(inputType: ElicitedField['inputType'], text: string): string | null {
  const { schema, problem } = formats[inputType]
  return schema.safeParse(text).success ? null : problem
}

/** A date field would show an unreadable default as empty, so such a field becomes a text field. */
function inputTypeOf({ format, default: preset }: JsonObject): ElicitedField['inputType'] {
  const inputType = inputTypeOfFormat(format)
  if (typeof preset !== 'string' || preset === '') return inputType
  if (inputType === 'date') return /^\d{4}-\d{2}-\d{2}$/.test(preset) ? inputType : 'text'
  return inputType === 'datetime-local' && toLocalTime(preset) === null ? 'text' : inputType
}

type Shape = Pick<ElicitedField, 'kind' | 'options'>

function shapeOf(property: JsonObject): Shape {
  const options = optionsOf(property)
  if (options.length > 0) return { kind: 'choice', options }
  switch (property.type) {
    case 'string': {
      const { maxLength } = property
      const isLong = typeof maxLength === 'number' && maxLength > 200
      return { kind: isLong ? 'long-text' : 'text', options }
    }
    case 'number':
    case 'integer':
    case 'boolean':
      return { kind: property.type, options }
    case 'array': {
      const many = optionsOf(asJsonObject(property.items))
      return many.length > 0 ? { kind: 'choices', options: many } : { kind: 'json', options }
    }
    default:
      return { kind: 'json', options }
  }
}

/** The choices with their `enumNames`, or with the titles of the constants. */
function optionsOf(property: JsonObject): ElicitedField['options'] {
  const hasEnum = Array.isArray(property.enum)
  const names = hasEnum ? listOf(property.enumNames) : constantsOf(property).map(({ title }) => title)
  return choicesOf(property).map((value, index) => ({ value, label: textOf(names[index]) || choiceText(value) }))
}

/** The values of `enum`, or of `oneOf` / `anyOf` of constants. */
function choicesOf(property: JsonObject): readonly unknown[] {
  if (Array.isArray(property.enum)) return property.enum
  const constants = constantsOf(property)
  return constants.every((one) => Object.hasOwn(one, 'const')) ? constants.map((one) => one.const) : []
}

const constantsOf = ({ oneOf, anyOf }: JsonObject): readonly JsonObject[] => listOf(oneOf ?? anyOf).map(asJsonObject)

/** Not `String`, which calls `toString` of the untrusted value. */
const choiceText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function initialOf(value: unknown, kind: Shape['kind'], options: Shape['options']): FieldValue {
  switch (kind) {
    case 'boolean':
      return value === true
    case 'choice':
    case 'choices': {
      const wanted: readonly unknown[] = Array.isArray(value) ? value : [value]
      return options.flatMap((option, index) => (wanted.includes(option.value) ? [index] : []))
    }
    case 'json':
      return value === undefined ? '' : JSON.stringify(value)
    default:
      return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
}

export const initialValues = (fields: readonly ElicitedField[]): FormValues =>
  new Map(fields.map(({ name, initial }) => [name, initial]))

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

/** The first problem of the answers, or `null`. Keywords of an unexpected type are ignored. */
export function checkElicited(schema: JsonObject, answers: JsonObject): string | null {
  const properties = asJsonObject(schema.properties)
  const missing = requiredOf(schema).find((name) => !Object.hasOwn(answers, name))
  if (missing !== undefined) return `answers.${missing}: is required`
  for (const [name, value] of Object.entries(answers)) {
    const isAsked = Object.hasOwn(properties, name)
    const problem = isAsked ? checkValue(asJsonObject(properties[name]), value) : 'was not asked'
    if (problem !== null) return `answers.${name}: ${problem}`
  }
  return null
}

function checkValue(property: JsonObject, value: unknown, choices = choicesOf(property)): string | null {
  if (choices.length > 0 && !choices.includes(value)) return `must be one of ${choices.map(choiceText).join(', ')}`
  const { minLength, maxLength, minimum, maximum } = property
  switch (property.type) {
    case 'string':
      if (typeof value !== 'string') return 'must be a text'
      return checkSize(value.length, [minLength, maxLength]) ?? checkFormat(inputTypeOfFormat(property.format), value)
    case 'integer':
      return Number.isInteger(value) ? checkSize(Number(value), [minimum, maximum]) : 'must be a whole number'
    case 'number':
      return typeof value === 'number' ? checkSize(value, [minimum, maximum]) : 'must be a number'
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false'
    case 'array':
      return checkList(property, value)
    default:
      return null
  }
}

function checkList({ items, minItems, maxItems }: JsonObject, value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be a list'
  const item = asJsonObject(items)
  const choices = choicesOf(item)
  const wrong = value.map((one) => checkValue(item, one, choices)).find((problem) => problem !== null)
  return wrong ?? checkSize(value.length, [minItems, maxItems])
}

function checkSize(size: number, [least, most]: readonly [unknown, unknown]): string | null {
  if (typeof least === 'number' && size < least) return `must be at least ${least}`
  return typeof most === 'number' && size > most ? `must be at most ${most}` : null
}

const localTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i

/** As a `datetime-local` field holds it. `null` if the text is not a time. A time without a zone counts as local. */
function toLocalTime(text: string): string | null {
  const time = readTime(text)
  if (time === null) return null
  const two = (number: number) => String(number).padStart(2, '0')
  const day = [String(time.getFullYear()).padStart(4, '0'), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${day}T${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`
}

/** A full time stays as it is; others get a time zone. `null` if the text is not a time. */
function fromLocalTime(local: string): string | null {
  const time = readTime(local)
  if (time === null) return null
  return fullTime.safeParse(local).success ? local : time.toISOString()
}

/** `Date` alone also reads "room 12", and turns February 30 into March 2. */
function readTime(text: string): Date | null {
  const time = new Date(text)
  if (!localTime.test(text) || Number.isNaN(time.getTime())) return null
  const day = text.slice(0, 10)
  return new Date(day).toISOString().startsWith(day) ? time : null
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
