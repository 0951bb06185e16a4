// A tool's input against its JSON Schema, in words the model can use.
import type { JsonObject } from '@quarterdeck/protocol'
import { Ajv2020 } from 'ajv/dist/2020.js'

/** What is wrong with an input, or `null`. */
export type InputCheck = (input: JsonObject) => string | null

/** Throws when the schema itself cannot be used. */
export function createInputCheck({ $schema: _, ...schema }: JsonObject): InputCheck {
  // Schemas are written by people and servers, in several drafts: unknown words in them are no reason to refuse.
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, validateFormats: false })
  const validate = ajv.compile({ ...schema, type: 'object' })
  return (input) => {
    if (validate(input)) return null
    const found = (validate.errors ?? []).map(
      ({ instancePath, message = 'does not fit', params }) =>
        `${instancePath === '' ? 'the input' : instancePath.slice(1).replaceAll('/', '.')} ${message}${detailOf(params)}`,
    )
    return `The input does not fit: ${found.join('; ')}. Call it again with an input that does.`
  }
}

function detailOf({ additionalProperty, allowedValues }: Readonly<Record<string, unknown>>): string {
  if (typeof additionalProperty === 'string') return ` (${additionalProperty})`
  return Array.isArray(allowedValues) ? ` (${allowedValues.join(', ')})` : ''
}
