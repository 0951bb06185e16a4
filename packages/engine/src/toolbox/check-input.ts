// A tool's input against its JSON Schema, in words the model can use.
import type { JsonObject } from '@quarterdeck/protocol'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RanTooLong, runBounded } from '../run-bounded.ts'

/** What is wrong with an input, or `null`. */
export type InputCheck = (input: JsonObject) => string | null

/** Patterns and inputs come from different hands, and this is the thread of every session. */
const longestCheckMs = 500

/** Throws when the schema itself cannot be used. */
export function createInputCheck({ $schema: _, ...schema }: JsonObject): InputCheck {
  // Schemas are written by people and servers, in several drafts: unknown words in them are no reason to refuse.
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, validateFormats: false })
  const validate = ajv.compile({ ...schema, type: 'object' })
  return (input) => {
    try {
      if (runBounded(() => validate(input), longestCheckMs)) return null
    } catch (error) {
      if (!(error instanceof RanTooLong)) throw error
      return 'The input cannot be checked in time. Call it again with another.'
    }
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
