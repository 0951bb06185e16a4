// A value that fits a JSON Schema, made from the text at hand: small, deterministic, and plainly a placeholder.

export function fillSchema(schema: unknown, text: string): unknown {
  if (!isRecord(schema)) return {}
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (Array.isArray(alternatives)) return fillSchema(alternatives[0], text)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'string':
      return fillString(schema, text)
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 0
    case 'boolean':
      return false
    case 'null':
      return null
    case 'array': {
      const count = typeof schema.minItems === 'number' ? schema.minItems : 0
      return Array.from({ length: count }, () => fillSchema(schema.items, text))
    }
    default:
      return fillObject(schema, text)
  }
}

function fillObject(schema: Record<string, unknown>, text: string): Record<string, unknown> {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const wanted = Object.entries(properties).filter(([name]) => required.includes(name))
  return Object.fromEntries(wanted.map(([name, property]) => [name, fillSchema(property, text)]))
}

function fillString(schema: Record<string, unknown>, text: string): string {
  if (schema.format === 'date') return '2025-01-01'
  if (schema.format === 'date-time') return '2025-01-01T00:00:00Z'
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : 500
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0
  return text.slice(0, most).padEnd(least, '.')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
