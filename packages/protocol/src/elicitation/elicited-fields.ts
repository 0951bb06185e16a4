// The form that an MCP server requests: a flat object of plain values. The schema is untrusted: fields it describes in
// an unknown way are entered as JSON, never dropped.
import { asJsonObject, type JsonObject } from '../values/json.ts'
import { type InputType, inputTypeOfFormat, toLocalTime } from './elicited-formats.ts'

export interface ElicitedField {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly kind: 'text' | 'long-text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'json'
  /** The options of a choice. */
  readonly options: readonly { readonly value: unknown; readonly label: string }[]
  readonly isRequired: boolean
  readonly inputType: InputType
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

export const requiredOf = ({ required }: JsonObject): readonly string[] =>
  listOf(required).filter((name) => typeof name === 'string')

/** A date field would show an unreadable default as empty, so such a field becomes a text field. */
function inputTypeOf({ format, default: preset }: JsonObject): InputType {
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
export function choicesOf(property: JsonObject): readonly unknown[] {
  if (Array.isArray(property.enum)) return property.enum
  const constants = constantsOf(property)
  return constants.every((one) => Object.hasOwn(one, 'const')) ? constants.map((one) => one.const) : []
}

const constantsOf = ({ oneOf, anyOf }: JsonObject): readonly JsonObject[] => listOf(oneOf ?? anyOf).map(asJsonObject)

/** Not `String`, which calls `toString` of the untrusted value. */
export const choiceText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

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

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
