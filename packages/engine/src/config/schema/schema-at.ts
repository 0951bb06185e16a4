// Looks up the schema of a value by path.
import { z } from 'zod'
import { entryOf, type Path, valueAt } from '../problems/value-path.ts'

/** The schema at a path; in a union, the alternative that the value selects. */
export function schemaAt(schema: z.ZodType, path: Path, value: unknown): unknown {
  let at: unknown = unwrap(schema)
  path.forEach((segment, index) => {
    const here = chosen(at, valueAt(value, path.slice(0, index)))
    if (here instanceof z.ZodObject) at = entryOf<unknown>(here.shape, String(segment))
    else if (here instanceof z.ZodRecord) at = here.valueType
    else at = here instanceof z.ZodArray ? here.element : undefined
    at = unwrap(at)
  })
  const own = valueAt(value, path)
  const isDecided = at instanceof z.ZodDiscriminatedUnion && entryOf(optionsOf(at), typeOf(own)) === undefined
  return isDecided ? at : chosen(at, own)
}

function chosen(schema: unknown, value: unknown): unknown {
  if (schema instanceof z.ZodDiscriminatedUnion) return entryOf(optionsOf(schema), typeOf(value))
  if (!(schema instanceof z.ZodUnion)) return schema
  const isRightKind = (option: unknown): boolean =>
    Array.isArray(value) ? option instanceof z.ZodArray : option instanceof z.ZodObject
  return schema.options.map(unwrap).find(isRightKind)
}

const typeOf = (value: unknown): string => String(valueAt(value, ['type']))

/** By the value of `type`, the only discriminator here. */
export function optionsOf(union: z.ZodDiscriminatedUnion): Readonly<Record<string, unknown>> {
  const objects = union.options.filter((option) => option instanceof z.ZodObject)
  return Object.fromEntries(
    objects.flatMap((option) =>
      option.shape.type instanceof z.ZodLiteral ? [[String(option.shape.type.value), option]] : [],
    ),
  )
}

export function unwrap(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? unwrap(schema.unwrap()) : schema
}
