import type { JsonObject } from '@quarterdeck/protocol'
import { isMap } from '../problems/value-path.ts'
import { checkSchema } from './input-schema.ts'
import type { AgentContext } from './resolve-agent.ts'
import { readPrompt } from './resolve-instructions.ts'

const path = ['response_format']

/** The schema every final answer keeps, from the file or from a file it names. */
export async function resolveResponseFormat(context: AgentContext): Promise<JsonObject | null> {
  const written = context.file.response_format
  if (written == null) return null
  const schema = typeof written === 'string' ? await readSchema(context, written) : written
  if (schema === null) return null
  if (Object.keys(schema).length === 0) refuse(context, 'is empty: it says nothing about the answer')
  checkSchema(context, schema, path)
  if (schema.type !== undefined && schema.type !== 'object') {
    refuse(context, 'must describe an object: providers take nothing else. Put what you want under a name')
  }
  return schema as JsonObject // out of YAML or JSON, and nothing else than that is in it
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
  return isMap(value) ? value : refuse(context, ': the file must hold a JSON Schema, which is an object')
}

/** The parser tells an offset, or nothing where the text just ends. */
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
