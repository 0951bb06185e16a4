// Builds a value that matches a JSON Schema from the message: small and deterministic. Missing values are clearly
// placeholders.
import { isRecord } from '@quarterdeck/protocol'
import { longestRead } from '../facts/demo-rule.ts'
import { distinct } from './distinct-items.ts'
import { fieldValue } from './field-value.ts'
import { fits, takeFitting } from './fitting-number.ts'
import { addressIn, amountIn, dateIn, numbersIn, patternIn, urlIn } from './found-values.ts'
import { mentionedChoice } from './mentioned-choice.ts'
import { isMentioned, numberNear } from './near-name.ts'
import { sampleOf } from './pattern-sample.ts'

export interface FillSource {
  /** The person's message. */
  readonly prompt: string
  /**
   * The text for fields that nothing in the prompt fits. `null` for the arguments of a call, which use the prompt
   * itself.
   */
  readonly answer: string | null
}

type Schema = Readonly<Record<string, unknown>>

type Filling = FillSource & {
  /** The schema in which `$ref` is resolved. */
  readonly root: Schema
  /** Numbers are used in the order of the message. */
  readonly numbers: number[]
  readonly depth: number
}

const deepestSchema = 12
const deepestOptional = 4

export function fillSchema(schema: unknown, source: FillSource): unknown {
  const root = isRecord(schema) ? schema : {}
  const prompt = source.prompt.slice(0, longestRead)
  return fill(schema, '', { ...source, prompt, root, numbers: numbersIn(prompt), depth: 0 })
}

function fill(given: unknown, name: string, filling: Filling): unknown {
  const schema = resolved(given, filling)
  if (schema === null || filling.depth > deepestSchema) return {}
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return chosen(schema.enum, filling)
  if (schema.default !== undefined) return schema.default
  const { parts, rest } = composed(schema)
  if (parts.length > 0) return fill(merged([rest, ...parts], filling), name, deeper(filling))
  switch (typeOf(schema)) {
    case 'string':
      return fillString(schema, name, filling)
    case 'integer':
    case 'number':
      return fillNumber(schema, name, filling)
    case 'boolean':
      return isMentioned(name, filling.prompt)
    case 'null':
      return null
    case 'array':
      return fillList(schema, name, filling)
    default:
      return fillObject(schema, filling)
  }
}

function resolved(given: unknown, { root }: Filling): Schema | null {
  if (!isRecord(given)) return null
  if (typeof given.$ref !== 'string') return given
  const target = given.$ref
    .replace(/^#\/?/, '')
    .split('/')
    .reduce<unknown>((at, key) => (key === '' ? at : isRecord(at) ? at[key] : undefined), root)
  return isRecord(target) ? target : null
}

/** Schemas that apply besides the schema itself: of alternatives the first. One kind at a time. */
function composed(schema: Schema): { readonly parts: readonly unknown[]; readonly rest: Schema } {
  const kind = ['anyOf', 'oneOf', 'allOf'].find((each) => Array.isArray(schema[each]))
  if (kind === undefined) return { parts: [], rest: schema }
  const { [kind]: listed, ...rest } = schema
  const all = Array.isArray(listed) ? listed : []
  return { parts: kind === 'allOf' ? all : all.slice(0, 1), rest }
}

function merged(parts: readonly unknown[], filling: Filling): Schema {
  const schemas = parts.map((part): Schema => resolved(part, filling) ?? {})
  const required = schemas.flatMap((schema) => (Array.isArray(schema.required) ? schema.required : []))
  const whole = Object.assign({}, ...schemas)
  if (!schemas.some(({ properties }) => isRecord(properties))) return { ...whole, required }
  return { ...whole, required, properties: Object.assign({}, ...schemas.map(({ properties }) => properties)) }
}

function typeOf({ type, properties, items }: Schema): unknown {
  const mentioned = Array.isArray(type) ? type.find((each) => each !== 'null') : type
  return mentioned ?? (properties === undefined && items !== undefined ? 'array' : 'object')
}

const deeper = (filling: Filling): Filling => ({ ...filling, depth: filling.depth + 1 })

/** The value named in the message, otherwise the first. */
function chosen(values: readonly unknown[], { prompt, numbers }: Filling): unknown {
  const mentioned =
    values.find((value) => typeof value === 'number' && numbers.includes(value)) ?? mentionedChoice(values, prompt)
  return mentioned ?? values.find((value) => isHinted(prompt, value)) ?? values[0]
}

const signPatterns: readonly (readonly [sign: RegExp, word: RegExp])[] = [
  [/\d\s*\+\s*-?\d|\bplus\b/, /add|plus|sum/i],
  [/\d\s*-\s*\d|\bminus\b/, /sub|minus|diff/i],
  [/\d\s*[*×x]\s*-?\d|\btimes\b/, /mul|times|prod/i],
  [/\d\s*[/÷]\s*-?\d|\bdivided\b/, /div|quot/i],
  [
    /\b(?:bad|awful|terrible|horrible|hate|worst|broken|angry|disappoint\w*|not (?:good|great|happy))\b/i,
    /^(?:neg|bad)/i,
  ],
  [/\b(?:good|great|excellent|wonderful|love|best|happy|perfect|thanks?)\b/i, /^(?:pos|good)/i],
]

const isHinted = (prompt: string, value: unknown): boolean =>
  typeof value === 'string' && signPatterns.some(([sign, word]) => sign.test(prompt) && word.test(value))

function fillObject(schema: Schema, filling: Filling): Record<string, unknown> {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  // A schema without required fields gets all of them.
  const wantsAll = filling.answer !== null && required.length === 0 && filling.depth < deepestOptional
  const wanted = Object.entries(properties).filter(([name]) => wantsAll || required.includes(name))
  for (const [name, property] of wanted) reserveNumber(name, resolved(property, filling), filling)
  return Object.fromEntries(wanted.map(([name, property]) => [name, fill(property, name, deeper(filling))]))
}

/** A number that belongs to one field by its name is not used for another. */
function reserveNumber(name: string, schema: Schema | null, { prompt, numbers }: Filling): void {
  const own = schema !== null && isNumeric(schema) ? numberOf(name, prompt) : null
  const at = own === null ? -1 : numbers.indexOf(own)
  if (at !== -1) numbers.splice(at, 1)
}

const isNumeric = (schema: Schema): boolean => /^(?:number|integer)$/.test(String(typeOf(schema)))

const numberOf = (name: string, prompt: string): number | null =>
  numberNear(name, prompt) ?? (/total|amount|price|cost|sum|budget/i.test(name) ? amountIn(prompt) : null)

function fillList(schema: Schema, name: string, filling: Filling): unknown[] {
  const items = resolved(schema.items, filling)
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0
  const most = typeof schema.maxItems === 'number' ? schema.maxItems : Number.POSITIVE_INFINITY
  const fitting = items !== null && isNumeric(items) ? filling.numbers.filter((each) => fits(items, each)) : []
  const mentioned = schema.uniqueItems === true ? [...new Set(fitting)] : fitting
  if (mentioned.length > 0 && mentioned.length >= least)
    return mentioned.slice(0, most).map((each) => takeNumber(each, filling))
  // A tool that is called without arguments does nothing.
  const count = filling.answer === null ? Math.min(most, Math.max(1, least)) : least
  const values = Array.from({ length: count }, () => fill(schema.items, name, deeper(filling)))
  return schema.uniqueItems === true ? distinct(values, items ?? {}) : values
}

/** Each number is used once. */
function takeNumber(number: number, { numbers }: Filling): number {
  numbers.splice(numbers.indexOf(number), 1)
  return number
}

function fillNumber(schema: Schema, name: string, { prompt, numbers }: Filling): number {
  const own = numberOf(name, prompt)
  return own !== null && fits(schema, own) ? own : takeFitting(schema, numbers)
}

function fillString(schema: Schema, name: string, filling: Filling): string {
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : 500
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0
  const isLongEnough = ({ length }: string): boolean => length >= least && length <= most
  const patterned =
    patternIn(schema.pattern, filling.prompt, isLongEnough) ??
    (typeof schema.pattern === 'string' ? sampleOf(schema.pattern, least) : null)
  // Truncated or padded it would be a different value.
  if (patterned !== null) return patterned
  const text = formatted(schema.format, filling) ?? fieldValue(name, filling) ?? answerOf(filling)
  return [...text].slice(0, most).join('').padEnd(least, '.')
}

const answerOf = ({ prompt, answer }: Filling): string => answer ?? prompt

function formatted(format: unknown, { prompt }: Filling): string | null {
  switch (format) {
    case 'date':
      return dateIn(prompt) ?? '2025-01-01'
    case 'date-time':
      return `${dateIn(prompt) ?? '2025-01-01'}T00:00:00Z`
    case 'email':
      return addressIn(prompt) ?? 'nobody@example.com'
    case 'uri':
      return urlIn(prompt) ?? 'https://example.com/'
    default:
      return null
  }
}
