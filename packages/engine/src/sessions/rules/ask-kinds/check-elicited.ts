// An MCP server elicits a flat object of plain values. Unknown keywords of its schema are ignored.
import type { JsonObject } from '@quarterdeck/protocol'
import { z } from 'zod'

const Field = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  oneOf: z.array(z.looseObject({ const: z.unknown() })).optional(),
  anyOf: z.array(z.looseObject({ const: z.unknown() })).optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  get items() {
    return Field.optional()
  },
})
type Field = z.infer<typeof Field>

const Form = z.looseObject({
  properties: z.record(z.string(), Field).default({}),
  required: z.array(z.string()).default([]),
})

export function checkElicited(schema: JsonObject, answers: JsonObject): string | null {
  const form = Form.safeParse(schema)
  if (!form.success) return null
  const { properties, required } = form.data
  const missing = required.find((name) => !Object.hasOwn(answers, name))
  if (missing !== undefined) return `answers.${missing}: is required`
  for (const [name, value] of Object.entries(answers)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    const problem = field === undefined ? 'was not asked' : checkValue(field, value)
    if (problem !== null) return `answers.${name}: ${problem}`
  }
  return null
}

function checkValue(field: Field, value: unknown): string | null {
  const choices = field.enum ?? (field.oneOf ?? field.anyOf)?.map((choice) => choice.const)
  if (choices !== undefined && !choices.includes(value)) return `must be one of ${choices.map(String).join(', ')}`
  switch (field.type) {
    case 'string':
      return typeof value === 'string' ? checkSize(value.length, [field.minLength, field.maxLength]) : 'must be a text'
    case 'integer':
      return Number.isInteger(value) ? checkRange(field, value) : 'must be a whole number'
    case 'number':
      return typeof value === 'number' ? checkRange(field, value) : 'must be a number'
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false'
    case 'array':
      return checkList(field, value)
    default:
      return null
  }
}

const checkRange = ({ minimum, maximum }: Field, value: unknown): string | null =>
  checkSize(Number(value), [minimum, maximum])

function checkList(field: Field, value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be a list'
  const { items } = field
  const wrong = items === undefined ? undefined : value.map((one) => checkValue(items, one)).find((one) => one !== null)
  return wrong ?? checkSize(value.length, [field.minItems, field.maxItems])
}

function checkSize(size: number, [least, most]: readonly [number | undefined, number | undefined]): string | null {
  if (least !== undefined && size < least) return `must be at least ${least}`
  return most !== undefined && size > most ? `must be at most ${most}` : null
}
