// Validation of structured answers, with the same messages on every backend.
import { type AgentDefinition, type JsonObject, messageOf } from '@quarterdeck/protocol'
import { Ajv, type ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RanTooLong, runBounded } from '../../async/run-bounded.ts'
import { BackendInitError } from '../backend-errors.ts'

/** Returns how a value does not match the schema; `null` if it matches. */
export type OutputCheck = (value: unknown) => string | null

/** The operator writes the schema, the model the value, and the check blocks the thread of every session. */
const longestCheckMs = 500

/** Throws for an invalid schema. */
export function createOutputCheck({ $schema, ...schema }: JsonObject): OutputCheck {
  // Formats are only hints to the model, and unknown keywords are allowed.
  const settings = { strict: false, allErrors: true, validateFormats: false, logger: false } as const
  const ajv = typeof $schema === 'string' && $schema.includes('2020-12') ? new Ajv2020(settings) : new Ajv(settings)
  const validate = ajv.compile(schema)
  return (value) => {
    try {
      const unstorable = findUnstorable(value)
      if (unstorable !== null) return unstorable
      if (runBounded(() => validate(value), longestCheckMs)) return null
    } catch (error) {
      if (error instanceof RangeError) return 'it is nested too deeply'
      if (!(error instanceof RanTooLong)) throw error
      return 'it cannot be checked in time'
    }
    return (validate.errors ?? []).slice(0, mostErrors).map(sentence).join('; ')
  }
}

/**
 * JSON reads a number that is too large (`1e999`) as Infinity and writes it as `null`: the stored value would differ
 * from the checked one.
 */
function findUnstorable(value: unknown): string | null {
  let unstorable: string | null = null
  JSON.stringify(value, (name, part: unknown) => {
    if (typeof part === 'number' && !Number.isFinite(part))
      unstorable ??= `${name || 'the answer'} is a number too large to store`
    return part
  })
  return unstorable
}

/** The check of an agent's answers; `null` without a schema. Throws `BackendInitError` for an invalid schema. */
export function outputCheckOf({
  name,
  responseFormat,
}: Pick<AgentDefinition, 'name' | 'responseFormat'>): OutputCheck | null {
  if (responseFormat === null) return null
  try {
    return createOutputCheck(responseFormat)
  } catch (error) {
    const why = messageOf(error)
    throw new BackendInitError(`agent "${name}": response_format is not a valid JSON Schema: ${why}`, { cause: error })
  }
}

/** The reason of a turn whose answer does not match. */
export const brokenFormat = (how: string): string => `the answer does not match response_format: ${how}`

/** The text of a structured answer, used as `response` and on screen. */
export const outputText = (value: unknown): string => JSON.stringify(value, null, 2)

const mostErrors = 5

function sentence({ instancePath, message, params }: ErrorObject): string {
  const where = instancePath === '' ? 'the answer' : instancePath.slice(1).replaceAll('/', '.')
  const extra = typeof params.additionalProperty === 'string' ? ` (${params.additionalProperty})` : ''
  return `${where} ${message ?? 'is not valid'}${extra}`
}
