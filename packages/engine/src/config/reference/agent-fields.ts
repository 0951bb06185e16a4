// Every field of the agent file by path with its effect: for the table that names the test of each field.
import { z } from 'zod'
import { AgentFile } from '../schema/agent-file.ts'
import { mapsIn, plain, type Schema, typeName } from './field-maps.ts'

export interface AgentField {
  /** `claude.bash.enabled`, `tools[mcp].command`, `tools[].name` for several types, `claude.agents.*.prompt`. */
  readonly path: string
  readonly effect: string
}

export function agentFields(): readonly AgentField[] {
  const shown = new Set<string>()
  return fieldsOf(z.toJSONSchema(AgentFile, { io: 'input' }), '', shown)
}

function fieldsOf(schema: Schema, prefix: string, shown: Set<string>): readonly AgentField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const field = plain(value)
    const { maps, kind } = mapsIn(field)
    const path = prefix === '' ? key : `${prefix}.${key}`
    const own = { path, effect: field.description ?? '' }
    const isNew = maps.length > 0 && maps.every((map) => !shown.has(shapeOf(map)))
    if (!isNew) return [own]
    for (const map of maps) shown.add(shapeOf(map))
    if (kind === 'named') return maps.flatMap((map) => fieldsOf(map, `${path}.*`, shown))
    if (kind === 'one') return maps.flatMap((map) => fieldsOf(map, path, shown))
    return maps.length === 1 ? maps.flatMap((map) => fieldsOf(map, `${path}[]`, shown)) : ofTypes(path, maps, shown)
  })
}

const shapeOf = ({ properties }: Schema): string => JSON.stringify(properties)

/** A field with the same description in several types is listed once. */
function ofTypes(path: string, maps: readonly Schema[], shown: Set<string>): readonly AgentField[] {
  const perType = maps.flatMap((map) => {
    const type = typeName(map)
    return fieldsOf(map, `${path}[${type}]`, shown).map((field) => ({ ...field, type }))
  })
  const rows = perType.map(({ type, ...field }) => {
    const isShared = perType.some(
      (other) =>
        other.type !== type && other.effect === field.effect && bare(other.path, other.type) === bare(field.path, type),
    )
    return isShared ? { ...field, path: `${path}[]${bare(field.path, type)}` } : field
  })
  return rows.filter((row, index) => rows.findIndex(({ path: other }) => other === row.path) === index)

  function bare(whole: string, type: string): string {
    return whole.slice(`${path}[${type}]`.length)
  }
}
