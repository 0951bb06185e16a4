// Reading the JSON Schema the schema library makes: what stands in a field, without the noise around it.
import type { z } from 'zod'

export type Schema = z.core.JSONSchema.BaseSchema

/** The library writes `["boolean", "null"]` where the contract of its types promises one name. */
export const typesOf = ({ type }: Schema): readonly string[] => (type === undefined ? [] : [type].flat())

/** A field without the `null` that only says it may be left empty. */
export function plain(field: Schema | boolean): Schema {
  if (typeof field === 'boolean' || field.anyOf === undefined) return field === true || field === false ? {} : field
  const nonNull = field.anyOf.filter((option) => !typesOf(option).includes('null'))
  const [only] = nonNull
  if (only === undefined || nonNull.length > 1) return { ...field, anyOf: nonNull }
  return { ...plain(only), ...(field.description === undefined ? {} : { description: field.description }) }
}

export interface FieldMaps {
  /** One for each type it may have. */
  readonly maps: readonly Schema[]
  /** Whether it is one of them, holds them by name, or in a list. */
  readonly kind: 'one' | 'named' | 'list'
}

export function mapsIn(field: Schema): FieldMaps {
  const { additionalProperties: values, items } = field
  if (typeof values === 'object' && values.properties !== undefined) return { maps: [values], kind: 'named' }
  if (typeof items === 'object' && !Array.isArray(items)) return { maps: mapsOf(items), kind: 'list' }
  return { maps: mapsOf(field), kind: 'one' }
}

const mapsOf = (schema: Schema): readonly Schema[] =>
  [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
    .filter((option) => typeof option === 'object')
    .filter((option) => option.properties !== undefined)
