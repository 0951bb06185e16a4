// A tool's input against its JSON Schema, wherever one of them comes from.
import type { JsonObject } from '@quarterdeck/protocol'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { runBounded } from '../async/run-bounded.ts'

/** What does not fit in an input, or `null`. */
export type JsonSchemaCheck = (input: JsonObject) => string | null

/** Patterns and inputs come from different hands, and this is the thread of every session. */
const longestCheckMs = 500
const longestReadingMs = 5_000

/** Throws when the schema itself cannot be used. The check throws `RanTooLong`. */
export function createJsonSchemaCheck({ $schema: _, ...schema }: JsonObject): JsonSchemaCheck {
  // Schemas are written by people and servers, in several drafts: unknown words in them are no reason to refuse.
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, validateFormats: false })
  const validate = runBounded(() => ajv.compile({ ...schema, type: 'object' }), longestReadingMs)
  return (input) => {
    if (runBounded(() => validate(input), longestCheckMs)) return null
    const found = (validate.errors ?? []).map(
      ({ instancePath, message = 'does not fit', params }) =>
        `${instancePath === '' ? 'the input' : instancePath.slice(1).replaceAll('/', '.')} ${message}${detailOf(params)}`,
    )
    return found.join('; ')
  }
}

function detailOf({ additionalProperty, allowedValues }: Readonly<Record<string, unknown>>): string {
  if (typeof additionalProperty === 'string') return ` (${additionalProperty})`
  return Array.isArray(allowedValues) ? ` (${allowedValues.join(', ')})` : ''
}
