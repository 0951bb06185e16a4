// How to write what was written in another shape: people know the fields of a block better than its form.
import { z } from 'zod'
import { isMap } from '../problems/value-path.ts'
import { unwrap } from './schema-at.ts'

const mostKeys = 8

/** ` with inline, file, preset, append` where a map with certain keys belongs. */
export function keysShown(wanted: unknown): string {
  if (!(wanted instanceof z.ZodObject)) return ''
  const keys = Object.keys(wanted.shape)
  return ` with ${keys.slice(0, mostKeys).join(', ')}${keys.length > mostKeys ? ', …' : ''}`
}

/** Empty where there is nothing to say beside what is wanted and what is there. */
export function shapeHint(wanted: unknown, found: unknown): string {
  if (wanted instanceof z.ZodObject) return hintForMap(wanted, found)
  if (wanted instanceof z.ZodArray) return hintForList(wanted, found)
  const isBare = typeof found === 'number' || typeof found === 'boolean'
  return wanted instanceof z.ZodString && isBare ? 'put it in quotes' : ''
}

function hintForMap({ shape }: z.ZodObject, found: unknown): string {
  if (typeof found === 'boolean' && 'enabled' in shape) return `write { enabled: ${found} }`
  if (typeof found === 'string' && 'inline' in shape) return 'write { inline: … }'
  const list = Object.keys(shape).find((key) => unwrap(shape[key]) instanceof z.ZodArray)
  return Array.isArray(found) && list !== undefined ? `put the list under "${list}:"` : ''
}

function hintForList({ element }: z.ZodArray, found: unknown): string {
  const item: unknown = unwrap(element)
  if (typeof found === 'string' && item instanceof z.ZodString) return 'write it in [ ]'
  if (isMap(found) && Array.isArray(found.metrics)) {
    return 'the list of "metrics" stands here itself, without that word'
  }
  if (!isMap(found) && typeof found !== 'string') return ''
  const first = item instanceof z.ZodDiscriminatedUnion ? 'type' : firstKeyOf(item)
  return first === undefined ? 'begin each entry with "- "' : `begin each entry with "- ${first}:"`
}

const firstKeyOf = (schema: unknown): string | undefined =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape)[0] : undefined
