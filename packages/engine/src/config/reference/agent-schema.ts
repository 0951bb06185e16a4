// JSON Schemas of agent.yaml and config.yaml for editors, generated from the schemas that load the files. They accept
// every file that loads, and refuse unknown keys and values of the wrong type.
import { isRecord } from '@quarterdeck/protocol'
import { z } from 'zod'
import { entryOf } from '../problems/value-path.ts'
import { AgentFile, GatewaySetting } from '../schema/agent-file.ts'
import { ConfigFile } from '../schema/config-file.ts'
import { MetricBlock } from '../schema/evaluations-block.ts'
import { holodeckDefaults, unsupportedConfigKeys, unsupportedKeys } from '../schema/unsupported.ts'
import { type Schema, typesOf } from './field-maps.ts'

export const agentSchemaText = (): string => textOf('Quarterdeck agent file', agentFileSchema())

export const configSchemaText = (): string => textOf('Quarterdeck config file', configFileSchema())

const textOf = (title: string, schema: Schema): string =>
  `${JSON.stringify({ ...shareDefinitions(schema), title }, null, 2)}\n`

function agentFileSchema(): Schema {
  const schema = editorSchema(AgentFile)
  admitEmpty(schema, unsupportedKeys)
  return completeUnlessExtended(schema)
}

function configFileSchema(): Schema {
  const schema = editorSchema(ConfigFile)
  admitEmpty(schema, unsupportedConfigKeys)
  const gatewaySwitch = z.toJSONSchema(GatewaySetting, { io: 'input' })
  const gateway = schema.properties?.gateway
  if (typeof gateway === 'object') gateway.anyOf = [...(gateway.anyOf ?? []), { anyOf: gatewaySwitch.anyOf ?? [] }]
  return schema
}

function editorSchema(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      admitReference(jsonSchema)
      if (jsonSchema.oneOf !== undefined) {
        jsonSchema.anyOf = jsonSchema.oneOf
        delete jsonSchema.oneOf
      }
      // Optional in files: the fields of a metric imply its type.
      if (MetricBlock.options.some((option) => option === zodSchema)) {
        jsonSchema.required = jsonSchema.required?.filter((key) => key !== 'type') ?? []
      }
    },
  })
}

const reference = { type: 'string', pattern: '\\$\\{' } as const

/** A `${VARIABLE}` may replace any value of another type. Text may contain one anyway. */
function admitReference(schema: Schema): void {
  const isFormed =
    schema.enum !== undefined ||
    schema.const !== undefined ||
    schema.pattern !== undefined ||
    schema.format !== undefined
  const kinds = typesOf(schema)
  if (!isFormed && !kinds.some((type) => type === 'number' || type === 'integer' || type === 'boolean')) return
  const { description, ...own } = schema
  for (const key of Object.keys(own)) delete schema[key]
  schema.anyOf = [own, reference]
}

const requestsNothing = (pattern: string): Schema => {
  const holodeckDefault = entryOf(holodeckDefaults, pattern)
  const nothing = [
    { type: 'null' },
    { const: false },
    { type: 'object', maxProperties: 0 },
    { type: 'array', maxItems: 0 },
  ] as const
  return {
    description: 'Not supported yet.',
    anyOf: [...nothing, ...(holodeckDefault === undefined ? [] : [{ const: holodeckDefault }])],
  }
}

/** Unsupported keys are accepted if their value requests nothing. */
function admitEmpty(root: Schema, keys: Readonly<Record<string, readonly string[]>>): void {
  for (const [pattern, names] of Object.entries(keys)) {
    for (const map of mapsAt(root, pattern === '' ? [] : pattern.split(/\.|(?=\[\])/))) {
      for (const name of names) map.properties = { ...map.properties, [name]: requestsNothing(`${pattern}.${name}`) }
    }
  }
}

/** Every map that a pattern such as `tools[].keyword_index` selects. */
function mapsAt(schema: Schema, segments: readonly string[]): readonly Schema[] {
  const [segment, ...rest] = segments
  const options = [schema, ...(schema.anyOf ?? [])].filter((option) => typeof option === 'object')
  if (options.length > 1) return options.slice(1).flatMap((option) => mapsAt(option, segments))
  if (segment === undefined) return schema.properties === undefined ? [] : [schema]
  const next = segment === '[]' ? schema.items : schema.properties?.[segment]
  return typeof next === 'object' && !Array.isArray(next) ? mapsAt(next, rest) : []
}

/** A file with `extends` requires no keys, because the extended file may define them. */
function completeUnlessExtended(schema: Schema): Schema {
  const complete = takeRequired(schema)
  return { ...schema, anyOf: [requiring(['extends'], {}), complete] }
}

/** Moves the required keys of the map and its nested maps into a separate schema. Those of lists stay. */
function takeRequired(schema: Schema): Schema {
  const { required, properties } = schema
  delete schema.required
  const inner = Object.entries(properties ?? {}).flatMap(([key, value]) => {
    const map = typeof value === 'object' ? mapIn(value) : undefined
    const taken = map === undefined ? {} : takeRequired(map)
    // A key without a value counts as absent.
    return Object.keys(taken).length === 0 ? [] : [[key, { ...taken, type: ['object', 'null'] } as Schema] as const]
  })
  if ((required ?? []).length === 0 && inner.length === 0) return {}
  return requiring(required ?? [], Object.fromEntries(inner))
}

/** Strict validators want each required key listed in `properties` of an object. */
const requiring = (required: readonly string[], properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  ...(required.length === 0 ? {} : { required: [...required] }),
  properties: { ...Object.fromEntries(required.map((key) => [key, {}])), ...properties },
})

/** The map of a field, also when the field may be `null`. */
function mapIn(field: Schema): Schema | undefined {
  if (field.properties !== undefined) return field
  const maps = (field.anyOf ?? []).filter((option) => typeof option === 'object' && option.properties !== undefined)
  const [only] = maps
  return maps.length === 1 && typeof only === 'object' ? only : undefined
}

const smallest = 400

/** Writes maps that occur more than once only once: editors load the schema on every start. */
function shareDefinitions(schema: Schema): Schema {
  const seen = new Map<string, number>()
  count(schema)
  const names = new Map<string, string>()
  const definitions: Record<string, unknown> = {}
  const whole = inner(schema, 'file')
  return { ...whole, $defs: definitions } as Schema // the same schema with keys in another order

  function count(node: unknown): void {
    if (!isSchemaPart(node)) return
    if (isLarge(node)) {
      const text = JSON.stringify(node)
      const times = seen.get(text) ?? 0
      seen.set(text, times + 1)
      // Maps inside it are shared with it.
      if (times > 0) return
    }
    for (const part of Object.values(node)) count(part)
  }

  function shared(node: unknown, name: string): unknown {
    if (!isSchemaPart(node)) return node
    if (!isLarge(node)) return inner(node, name)
    const text = JSON.stringify(node)
    if ((seen.get(text) ?? 0) < 2) return inner(node, name)
    const known = names.get(text) ?? newName(name)
    if (!names.has(text)) {
      names.set(text, known)
      definitions[known] = inner(node, name)
    }
    return { $ref: `#/$defs/${known}` }
  }

  function inner(node: object, name: string): Record<string, unknown> | unknown[] {
    if (Array.isArray(node)) return node.map((part) => shared(part, name))
    return Object.fromEntries(
      Object.entries(node).map(([key, part]) => [key, shared(part, keywords.has(key) ? name : key)]),
    )
  }

  function newName(wanted: string): string {
    const taken = new Set(names.values())
    let name = wanted
    for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`
    return name
  }
}

const keywords = new Set(['anyOf', 'items', 'properties', 'additionalProperties'])

const isSchemaPart = (node: unknown): node is object => typeof node === 'object' && node !== null

const isLarge = (node: object): boolean =>
  isRecord(node) && isRecord(node.properties) && JSON.stringify(node).length > smallest
