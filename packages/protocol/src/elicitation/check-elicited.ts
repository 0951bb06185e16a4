// Checks answers against the schema of their form, as the MCP server will.
import { asJsonObject, type JsonObject } from '../values/json.ts'
import { choicesOf, choiceText, requiredOf } from './elicited-fields.ts'
import { checkFormat, inputTypeOfFormat } from './elicited-formats.ts'

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
      return (
        checkSize(value.length, [minLength, maxLength], 'characters') ??
        checkFormat(inputTypeOfFormat(property.format), value)
      )
    case 'integer':
      return Number.isInteger(value) ? checkRange(Number(value), [minimum, maximum]) : 'must be a whole number'
    case 'number':
      return typeof value === 'number' ? checkRange(value, [minimum, maximum]) : 'must be a number'
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
  return wrong ?? checkSize(value.length, [minItems, maxItems], 'entries')
}

type Bounds = readonly [unknown, unknown]

function checkRange(number: number, [least, most]: Bounds): string | null {
  if (typeof least === 'number' && number < least) return `must be at least ${least}`
  return typeof most === 'number' && number > most ? `must be at most ${most}` : null
}

const singular = { characters: 'character', entries: 'entry' }

function checkSize(size: number, [least, most]: Bounds, unit: keyof typeof singular): string | null {
  const count = (bound: number) => `${bound} ${bound === 1 ? singular[unit] : unit}`
  if (typeof least === 'number' && size < least) return `must have at least ${count(least)}`
  return typeof most === 'number' && size > most ? `must have at most ${count(most)}` : null
}
