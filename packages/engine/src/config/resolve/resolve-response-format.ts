import { isRecord, type JsonObject } from '@quarterdeck/protocol'
import type { AgentContext } from '../agent-context.ts'
import { checkSchema } from './input-schema.ts'
import { readPrompt } from './resolve-instructions.ts'

const path = ['response_format']

/** The JSON Schema of every final answer, inline or from a file. */
export async function resolveResponseFormat(context: AgentContext): Promise<JsonObject | null> {
  const written = context.file.response_format
  if (written == null) return null
  const schema = typeof written === 'string' ? await readSchema(context, written) : written
  if (schema === null) return null
  if (Object.keys(schema).length === 0) refuse(context, 'is empty: describe the answer or remove the key')
  checkSchema(context, schema, path)
  if (schema.type !== undefined && schema.type !== 'object') {
    refuse(context, 'must describe an object: providers accept nothing else. Wrap the value in a property')
  }
  return schema as JsonObject // from YAML or JSON, so it contains only JSON values
}

async function readSchema(context: AgentContext, written: string): Promise<Record<string, unknown> | null> {
  const text = await readPrompt(context, written, path)
  if (text === '') return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return refuse(context, `: the file is not JSON (line ${lineOf(error, text)})`)
  }
  return isRecord(value) ? value : refuse(context, ': the file must contain a JSON Schema object')
}

/** The parser reports an offset, or nothing if the text ends early. */
function lineOf(error: unknown, text: string): number {
  const offset = /position (?<at>\d+)/.exec(error instanceof Error ? error.message : '')?.groups?.at
  const read = offset === undefined ? text.trimEnd() : text.slice(0, Number(offset))
  return read.split('\n').length
}

function refuse({ source }: AgentContext, why: string): null {
  const message = `"response_format"${why.startsWith(':') ? '' : ' '}${why}`
  source.report({ severity: 'error', code: 'config.invalid', path, part: 'value', message })
  return null
}
