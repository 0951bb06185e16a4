// A value that fits a JSON Schema, made from the words at hand: small and deterministic. What the words do not hold is
// plainly a placeholder.
import { addressIn, amountIn, dateIn, numbersIn, patternIn, urlIn } from './found-values.ts'
import { meantBy } from './meant-by.ts'

export type FillSource = {
  /** What the person said. */
  readonly prompt: string
  /** What is said where nothing of the prompt fits. `null` for the arguments of a call, where that is the prompt itself. */
  readonly answer: string | null
}

type Schema = Readonly<Record<string, unknown>>

type Filling = FillSource & {
  /** Where `$ref` is looked up. */
  readonly root: Schema
  /** Numbers are given out in the order in which they were said. */
  readonly numbers: number[]
  readonly depth: number
}

const DEEPEST = 12

export function fillSchema(schema: unknown, source: FillSource): unknown {
  const root = isRecord(schema) ? schema : {}
  return fill(schema, '', { ...source, root, numbers: numbersIn(source.prompt), depth: 0 })
}

function fill(given: unknown, name: string, filling: Filling): unknown {
  const schema = resolved(given, filling)
  if (schema === null || filling.depth > DEEPEST) return {}
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return chosen(schema.enum, filling.prompt)
  if (schema.default !== undefined) return schema.default
  const alternatives = schema.anyOf ?? schema.oneOf
  if (Array.isArray(alternatives)) return fill(alternatives[0], name, deeper(filling))
  if (Array.isArray(schema.allOf)) return fill(merged(schema.allOf, filling), name, deeper(filling))
  switch (typeOf(schema)) {
    case 'string':
      return fillString(schema, name, filling)
    case 'integer':
      return Math.round(fillNumber(schema, name, filling))
    case 'number':
      return fillNumber(schema, name, filling)
    case 'boolean':
      return false
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

function merged(parts: readonly unknown[], filling: Filling): Schema {
  const schemas = parts.map((part): Schema => resolved(part, filling) ?? {})
  const properties = Object.assign({}, ...schemas.map((schema) => schema.properties))
  const required = schemas.flatMap((schema) => (Array.isArray(schema.required) ? schema.required : []))
  return { ...Object.assign({}, ...schemas), properties, required }
}

function typeOf({ type, properties, items }: Schema): unknown {
  const said = Array.isArray(type) ? type.find((each) => each !== 'null') : type
  return said ?? (properties === undefined && items !== undefined ? 'array' : 'object')
}

const deeper = (filling: Filling): Filling => ({ ...filling, depth: filling.depth + 1 })

/** The one that was said, else the first. */
function chosen(values: readonly unknown[], prompt: string): unknown {
  const said = values.find((value) => typeof value === 'string' && value !== '' && mentions(prompt, value))
  return said ?? values.find((value) => operatorOf(prompt, value)) ?? values[0]
}

function mentions(text: string, value: string): boolean {
  const plain = value.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/[_-]/g, '[ _-]')
  return new RegExp(`(?<![\\p{L}\\p{N}])${plain}(?![\\p{L}\\p{N}])`, 'iu').test(text)
}

const OPERATORS: readonly (readonly [sign: RegExp, word: RegExp])[] = [
  [/\d\s*\+\s*-?\d|\bplus\b/, /add|plus|sum/i],
  [/\d\s*-\s*\d|\bminus\b/, /sub|minus|diff/i],
  [/\d\s*[*×x]\s*-?\d|\btimes\b/, /mul|times|prod/i],
  [/\d\s*[/÷]\s*-?\d|\bdivided\b/, /div|quot/i],
]

function operatorOf(prompt: string, value: unknown): boolean {
  return typeof value === 'string' && OPERATORS.some(([sign, word]) => sign.test(prompt) && word.test(value))
}

function fillObject(schema: Schema, filling: Filling): Record<string, unknown> {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const wanted = Object.entries(properties).filter(([name]) => required.includes(name))
  return Object.fromEntries(wanted.map(([name, property]) => [name, fill(property, name, deeper(filling))]))
}

function fillList(schema: Schema, name: string, filling: Filling): unknown[] {
  const items = resolved(schema.items, filling)
  const isNumbers = items !== null && /^(?:number|integer)$/.test(String(typeOf(items)))
  if (isNumbers && filling.numbers.length > 0) return filling.numbers.splice(0)
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0
  // A tool that is called with nothing does nothing.
  const count = filling.answer === null ? Math.max(1, least) : least
  return Array.from({ length: count }, () => fill(schema.items, name, deeper(filling)))
}

function fillNumber({ minimum, maximum, exclusiveMinimum }: Schema, name: string, filling: Filling): number {
  const amount = /total|amount|price|cost|sum|budget/i.test(name) ? amountIn(filling.prompt) : null
  const said = amount ?? filling.numbers.shift()
  const least =
    typeof minimum === 'number' ? minimum : typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : null
  const most = typeof maximum === 'number' ? maximum : Number.POSITIVE_INFINITY
  return Math.min(most, Math.max(least ?? Number.NEGATIVE_INFINITY, said ?? least ?? 0))
}

function fillString(schema: Schema, name: string, filling: Filling): string {
  const text =
    patternIn(schema.pattern, filling.prompt) ??
    formatted(schema.format, filling) ??
    meantBy(name, filling) ??
    answerOf(filling)
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : 500
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0
  return text.slice(0, most).padEnd(least, '.')
}

function answerOf({ prompt, answer }: Filling): string {
  return answer ?? prompt
}

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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
