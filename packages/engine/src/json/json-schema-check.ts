// Checks the input of a tool against its JSON Schema.
import type { JsonObject } from '@quarterdeck/protocol'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { runBounded } from '../async/run-bounded.ts'

/** The problems of an input, or `null`. */
export type JsonSchemaCheck = (input: JsonObject) => string | null

/** Schemas and inputs come from outside, and the check blocks the thread of every session. */
const longestCheckMs = 500
const longestReadingMs = 5_000

/** Throws if the schema itself is invalid. The check throws `RanTooLong`. */
export function createJsonSchemaCheck({ $schema: _, ...schema }: JsonObject): JsonSchemaCheck {
  // People and servers write schemas in several drafts, so unknown keywords are allowed.
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
