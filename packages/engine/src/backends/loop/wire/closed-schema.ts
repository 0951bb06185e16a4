import { isRecord, type JsonObject } from '@quarterdeck/protocol'

/** The schema keywords that both providers support for structured answers. */
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
 * Whether providers can enforce this schema while the model writes. They require every object to be closed and every
 * property to be required, and refuse unknown keywords.
 */
export function isClosedSchema(schema: unknown): boolean {
  if (!isRecord(schema)) return false
  if (Object.keys(schema).some((keyword) => !knownKeywords.has(keyword))) return false
  const parts = [schema.items, ...valuesOf(schema.properties), ...(Array.isArray(schema.anyOf) ? schema.anyOf : [])]
  if (!parts.every((part) => part === undefined || isClosedSchema(part))) return false
  return schema.type !== 'object' || isClosedObject(schema)
}

function isClosedObject({ properties, required, additionalProperties }: JsonObject): boolean {
  if (additionalProperties !== false || !isRecord(properties)) return false
  const named = Array.isArray(required) ? required : []
  return Object.keys(properties).every((name) => named.includes(name))
}

const valuesOf = (value: unknown): readonly unknown[] => (isRecord(value) ? Object.values(value) : [])
