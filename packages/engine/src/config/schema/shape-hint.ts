// Suggests the right form for a value of the wrong shape: users often know the fields of a block but not its form.
import { isRecord } from '@quarterdeck/protocol'
import { z } from 'zod'
import { unwrap } from './schema-at.ts'

const mostKeys = 8

/** ` with inline, file, preset, append` if a map with known keys is expected. */
export function expectedKeys(wanted: unknown): string {
  if (!(wanted instanceof z.ZodObject)) return ''
  const keys = Object.keys(wanted.shape)
  return ` with ${keys.slice(0, mostKeys).join(', ')}${keys.length > mostKeys ? ', …' : ''}`
}

/** Empty if there is nothing to add. */
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
  if (isRecord(found) && Array.isArray(found.metrics)) {
    return 'list the metrics here directly, without "metrics"'
  }
  if (!isRecord(found) && typeof found !== 'string') return ''
  const first = item instanceof z.ZodDiscriminatedUnion ? 'type' : firstKeyOf(item)
  return first === undefined ? 'start each entry with "- "' : `start each entry with "- ${first}:"`
}

const firstKeyOf = (schema: unknown): string | undefined =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape)[0] : undefined
