// The fields of the form of an MCP server.
import type { JsonObject } from '@quarterdeck/protocol'

export interface FormField {
  readonly name: string
  readonly type: unknown
  readonly description: string
  /** The allowed values, if the form lists them; empty if any value of the type is allowed. */
  readonly choices: readonly string[]
  readonly isRequired: boolean
}

/** Empty if the form only asks for consent. */
export function formFields(schema: JsonObject | null): readonly FormField[] {
  const properties = schema?.properties
  if (typeof properties !== 'object' || properties === null) return []
  const required: readonly unknown[] = Array.isArray(schema?.required) ? schema.required : []
  return Object.entries(properties).map(([name, field]: [string, unknown]) => {
    const facts: object = typeof field === 'object' && field !== null ? field : {}
    const description = 'description' in facts && typeof facts.description === 'string' ? facts.description : ''
    const type = 'type' in facts ? facts.type : 'string'
    return { name, type, description, choices: choicesOf(facts), isRequired: required.includes(name) }
  })
}

/** A form lists them either as plain values or as values with a title. */
function choicesOf(facts: object): readonly string[] {
  if ('enum' in facts && Array.isArray(facts.enum)) return facts.enum.map(String)
  if (!('oneOf' in facts) || !Array.isArray(facts.oneOf)) return []
  return facts.oneOf.flatMap((one: unknown) =>
    typeof one === 'object' && one !== null && 'const' in one ? [String(one.const)] : [],
  )
}
