// JSON Schemas in an agent file: tool inputs and response formats.
import { isRecord, type JsonObject } from '@quarterdeck/protocol'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { AgentContext } from '../agent-context.ts'
import { formatPath, type Path } from '../problems/value-path.ts'

/** A JSON Schema as written, or one built from a map of parameter names to schemas. */
export function inputSchemaOf(
  context: AgentContext,
  written: Readonly<Record<string, unknown>>,
  path: Path,
): JsonObject {
  const schema = isSchema(written) ? written : ofParameters(written)
  checkSchema(context, schema, path)
  if (schema.type !== undefined && schema.type !== 'object') {
    context.source.refuse(path, `"${formatPath(path)}" must describe an object: tool inputs are named parameters`)
  }
  return schema as JsonObject // it comes from YAML and contains only JSON values
}

const isSchema = (written: Readonly<Record<string, unknown>>): boolean =>
  typeof written.type === 'string' || typeof written.$ref === 'string' || isRecord(written.properties)

/** A parameter without a default is required unless `required` is false. */
function ofParameters(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(parameters)
  const properties = entries.map(([name, schema]) => [
    name,
    isRecord(schema) ? withoutRequired(schema) : (schema ?? {}),
  ])
  const required = entries.flatMap(([name, schema]) => (isRequired(schema) ? [name] : []))
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false }
}

const isRequired = (schema: unknown): boolean =>
  !isRecord(schema) || (schema.required !== false && !('default' in schema))

/** HoloDeck allows `required: true` beside a type; JSON Schema expects a list there. */
function withoutRequired({ required, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return typeof required === 'boolean' || required === undefined ? schema : { ...schema, required }
}

/** Reports an invalid schema as one problem at `path`. */
export function checkSchema({ source }: AgentContext, schema: Readonly<Record<string, unknown>>, path: Path): void {
  const plain = forThisDraft(schema)
  const reason = formError(plain) ?? compileError(plain)
  if (reason === null) return
  source.refuse(path, `"${formatPath(path)}" is not a usable JSON Schema: ${reason}`)
}

/** Older drafts are close enough; keeping `$schema` would make the library look for that draft. */
const forThisDraft = ({ $schema: _, ...schema }: Readonly<Record<string, unknown>>): Record<string, unknown> => schema

const options = { strict: false, logger: false, validateFormats: false } as const

/** Created once: loading the meta-schema takes longer than the rest of a file. */
let formChecker: Ajv2020 | undefined

function formError(schema: Record<string, unknown>): string | null {
  formChecker ??= new Ajv2020(options)
  if (formChecker.validateSchema(schema) === true) return null
  const [error] = formChecker.errors ?? []
  const instancePath = error?.instancePath.replaceAll('/', '.').replace(/^\./, '') ?? ''
  const allowed = Array.isArray(error?.params.allowedValues) ? ` (${error.params.allowedValues.join(', ')})` : ''
  return `${instancePath === '' ? 'it' : instancePath} ${error?.message ?? 'is invalid'}${allowed}`
}

/** A separate instance, because the library remembers every schema it compiles. */
function compileError(schema: Record<string, unknown>): string | null {
  try {
    new Ajv2020({ ...options, meta: false, validateSchema: false }).compile(schema)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be compiled'
  }
}
