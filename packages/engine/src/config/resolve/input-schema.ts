// JSON Schemas in an agent file: of what a tool takes and of what the agent answers.
import type { JsonObject } from '@quarterdeck/protocol'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { formatPath, isMap, type Path } from '../problems/value-path.ts'
import type { AgentContext } from './resolve-agent.ts'

/** A schema as it is written, or one made of a map of names to the schema of each. */
export function inputSchemaOf(
  context: AgentContext,
  written: Readonly<Record<string, unknown>>,
  path: Path,
): JsonObject {
  const schema = isSchema(written) ? written : ofParameters(written)
  checkSchema(context, schema, path)
  if (schema.type !== undefined && schema.type !== 'object') {
    const message = `"${formatPath(path)}" must describe an object: a tool's input has names`
    context.source.report({ severity: 'error', code: 'config.invalid', path, message })
  }
  return schema as JsonObject // it came out of YAML, which knows nothing else than JSON does
}

const isSchema = (written: Readonly<Record<string, unknown>>): boolean =>
  typeof written.type === 'string' || typeof written.$ref === 'string' || isMap(written.properties)

/** A parameter without a default is required, unless it says otherwise. */
function ofParameters(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(parameters)
  const properties = entries.map(([name, schema]) => [name, isMap(schema) ? withoutRequired(schema) : (schema ?? {})])
  const required = entries.flatMap(([name, schema]) => (isRequired(schema) ? [name] : []))
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false }
}

const isRequired = (schema: unknown): boolean => !isMap(schema) || (schema.required !== false && !('default' in schema))

/** `required: true` beside a type is how HoloDeck writes it; JSON Schema keeps a list there. */
function withoutRequired({ required, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return typeof required === 'boolean' || required === undefined ? schema : { ...schema, required }
}

/** What is wrong with it, in one problem at the place that names it. */
export function checkSchema({ source }: AgentContext, schema: Readonly<Record<string, unknown>>, path: Path): void {
  const plain = forThisDraft(schema)
  const reason = formError(plain) ?? compileError(plain)
  if (reason === null) return
  const message = `"${formatPath(path)}" is not a usable JSON Schema: ${reason}`
  source.report({ severity: 'error', code: 'config.invalid', path, message })
}

/** Older drafts are close enough for what tools and answers say; their own name would send the library looking for them. */
const forThisDraft = ({ $schema: _, ...schema }: Readonly<Record<string, unknown>>): Record<string, unknown> => schema

const options = { strict: false, logger: false, validateFormats: false } as const

/** Made once: reading the schema of schemas takes longer than everything else about a file. */
let formChecker: Ajv2020 | undefined

function formError(schema: Record<string, unknown>): string | null {
  formChecker ??= new Ajv2020(options)
  if (formChecker.validateSchema(schema) === true) return null
  const [error] = formChecker.errors ?? []
  const instancePath = error?.instancePath.replaceAll('/', '.').replace(/^\./, '') ?? ''
  const allowed = Array.isArray(error?.params.allowedValues) ? ` (${error.params.allowedValues.join(', ')})` : ''
  return `${instancePath === '' ? 'it' : instancePath} ${error?.message ?? 'is wrong'}${allowed}`
}

/** A library of its own, because it remembers every schema it is shown. */
function compileError(schema: Record<string, unknown>): string | null {
  try {
    new Ajv2020({ ...options, meta: false, validateSchema: false }).compile(schema)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be compiled'
  }
}
