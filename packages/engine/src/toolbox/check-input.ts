// Validates a tool's input against its JSON Schema, with messages for the model.
import type { JsonObject } from '@quarterdeck/protocol'
import { RanTooLong } from '../async/run-bounded.ts'
import { createJsonSchemaCheck } from '../json/json-schema-check.ts'

/** What is wrong with an input, or `null`. */
export type InputCheck = (input: JsonObject) => string | null

/** Throws if the schema itself is invalid. */
export function createInputCheck(schema: JsonObject): InputCheck {
  const check = createJsonSchemaCheck(schema)
  return (input) => {
    try {
      const problem = check(input)
      return problem === null ? null : `The input is not valid: ${problem}. Call it again with a valid input.`
    } catch (error) {
      if (!(error instanceof RanTooLong)) throw error
      return 'The input cannot be checked in time. Call it again with another input.'
    }
  }
}
