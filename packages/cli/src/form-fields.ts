// What the form of an MCP server wants to know.
import type { JsonObject } from '@quarterdeck/protocol'

export interface FormField {
  readonly name: string
  readonly type: unknown
  readonly description: string
}

/** Empty where it only wants a yes. */
export function formFields(schema: JsonObject | null): readonly FormField[] {
  const properties = schema?.properties
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties).map(([name, field]: [string, unknown]) => {
    const facts = typeof field === 'object' && field !== null ? field : {}
    const description = 'description' in facts && typeof facts.description === 'string' ? facts.description : ''
    return { name, type: 'type' in facts ? facts.type : 'string', description }
  })
}
