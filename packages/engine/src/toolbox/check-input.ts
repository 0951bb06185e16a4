// A tool's input against its JSON Schema, in words the model can use.
import type { JsonObject } from '@quarterdeck/protocol'
import { RanTooLong } from '../async/run-bounded.ts'
import { createJsonSchemaCheck } from '../json/json-schema-check.ts'

/** What is wrong with an input, or `null`. */
export type InputCheck = (input: JsonObject) => string | null

/** Throws when the schema itself cannot be used. */
export function createInputCheck(schema: JsonObject): InputCheck {
  const check = createJsonSchemaCheck(schema)
  return (input) => {
    try {
      const problem = check(input)
      return problem === null ? null : `The input does not fit: ${problem}. Call it again with an input that does.`
    } catch (error) {
      if (!(error instanceof RanTooLong)) throw error
      return 'The input cannot be checked in time. Call it again with another.'
    }
  }
}
