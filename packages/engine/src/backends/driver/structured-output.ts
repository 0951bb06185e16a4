// An answer that has to keep a schema: what every backend says about one, in the same words.
import type { AgentDefinition, JsonObject } from '@quarterdeck/protocol'
import { Ajv, type ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RanTooLong, runBounded } from '../../async/run-bounded.ts'
import { BackendInitError } from '../backend-errors.ts'

/** Of a value that does not keep the schema: how; `null` for one that does. */
export type OutputCheck = (value: unknown) => string | null

/** The schema is the operator's, the value the model's, and the thread that of every session. */
const longestCheckMs = 500

/** Throws for a schema that is none. */
export function createOutputCheck({ $schema, ...schema }: JsonObject): OutputCheck {
  // Formats are a hint to the model; what else a schema may hold is the business of its writer.
  const settings = { strict: false, allErrors: true, validateFormats: false, logger: false } as const
  const ajv = typeof $schema === 'string' && $schema.includes('2020-12') ? new Ajv2020(settings) : new Ajv(settings)
  const validate = ajv.compile(schema)
  return (value) => {
    try {
      const odd = unkeepable(value)
      if (odd !== null) return odd
      if (runBounded(() => validate(value), longestCheckMs)) return null
    } catch (error) {
      if (error instanceof RangeError) return 'it is nested too deeply'
      if (!(error instanceof RanTooLong)) throw error
      return 'it cannot be checked in time'
    }
    return (validate.errors ?? []).slice(0, mostErrors).map(sentence).join('; ')
  }
}

/** A number beyond all numbers (`1e999`) is read as one and would be written as `null`: not what was checked. */
function unkeepable(value: unknown): string | null {
  let odd: string | null = null
  JSON.stringify(value, (name, part: unknown) => {
    if (typeof part === 'number' && !Number.isFinite(part))
      odd ??= `${name || 'the answer'} is a number too large to keep`
    return part
  })
  return odd
}

/** Of an agent's answers; `null` where they are free. Throws `BackendInitError` for a schema that is none. */
export function outputCheckOf({
  name,
  responseFormat,
}: Pick<AgentDefinition, 'name' | 'responseFormat'>): OutputCheck | null {
  if (responseFormat === null) return null
  try {
    return createOutputCheck(responseFormat)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new BackendInitError(`agent "${name}": response_format is no JSON Schema: ${why}`, { cause: error })
  }
}

/** The reason of a turn whose answer does not keep it. */
export const brokenFormat = (how: string): string => `the answer does not keep response_format: ${how}`

/** `response` and what is shown of a structured answer. */
export const outputText = (value: unknown): string => JSON.stringify(value, null, 2)

const mostErrors = 5

function sentence({ instancePath, message, params }: ErrorObject): string {
  const where = instancePath === '' ? 'the answer' : instancePath.slice(1).replaceAll('/', '.')
  const extra = typeof params.additionalProperty === 'string' ? ` (${params.additionalProperty})` : ''
  return `${where} ${message ?? 'is not as it should be'}${extra}`
}
