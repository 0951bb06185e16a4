import type { JsonObject } from '@quarterdeck/protocol'

/** What both providers know in a schema they hold an answer to. */
const knownKeywords: ReadonlySet<string> = new Set([
  '$schema',
  'additionalProperties',
  'anyOf',
  'const',
  'description',
  'enum',
  'items',
  'properties',
  'required',
  'title',
  'type',
])

/**
 * Whether providers can hold a model to this schema while it writes: they want every object closed and every property
 * required, and refuse what they do not know.
 */
export function isClosedSchema(schema: unknown): boolean {
  if (!isObject(schema)) return false
  if (Object.keys(schema).some((keyword) => !knownKeywords.has(keyword))) return false
  const parts = [schema.items, ...valuesOf(schema.properties), ...(Array.isArray(schema.anyOf) ? schema.anyOf : [])]
  if (!parts.every((part) => part === undefined || isClosedSchema(part))) return false
  return schema.type !== 'object' || isClosedObject(schema)
}

function isClosedObject({ properties, required, additionalProperties }: JsonObject): boolean {
  if (additionalProperties !== false || !isObject(properties)) return false
  const named = Array.isArray(required) ? required : []
  return Object.keys(properties).every((name) => named.includes(name))
}

const valuesOf = (value: unknown): readonly unknown[] => (isObject(value) ? Object.values(value) : [])

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
