// The arguments of a call, and the query that they become.
import { z } from 'zod'

const value = z.union([z.string(), z.number(), z.boolean()])

export const selection = {
  filters: z
    .record(z.string(), z.union([value, z.array(value)]))
    .optional()
    .describe('Filters of NetBox\'s API by name; a list means any of its values. "q" searches everywhere'),
  fields: z
    .array(z.string())
    .optional()
    .describe('Only these fields of each object. Without it all of them, which is much'),
  brief: z.boolean().optional().describe('Only id, name and the like of each object'),
}

export const paging = {
  limit: z.int().min(1).max(100).default(10).describe('Objects at a time'),
  offset: z.int().min(0).optional().describe('Objects to skip; "next" of an answer says which to ask for'),
  ordering: z.string().optional().describe('A field to sort by, with "-" before it backwards'),
}

export interface QueryArguments {
  readonly filters?: Readonly<Record<string, unknown>> | undefined
  readonly fields?: readonly string[] | undefined
  readonly brief?: boolean | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly ordering?: string | undefined
}

const ownArguments = new Set(['limit', 'offset', 'fields', 'brief', 'ordering'])
/**
 * The comparisons of a filter, as in `name__ic`. NetBox uses two underscores for nothing else and ignores unknown
 * filters.
 */
export const comparisons: ReadonlySet<string> = new Set(
  'n ic nic iew niew isw nisw ie nie empty regex iregex lt lte gt gte'.split(' '),
)

/** Throws a sentence for a filter that NetBox would ignore. */
export function queryOf({ filters = {}, fields, brief, limit, offset, ordering }: QueryArguments): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, given] of Object.entries(filters)) {
    checkFilter(name)
    for (const one of Array.isArray(given) ? given : [given]) query.append(name, String(one))
  }
  if (fields !== undefined && fields.length > 0) query.set('fields', fields.join(','))
  if (brief === true) query.set('brief', '1')
  if (ordering !== undefined) query.set('ordering', ordering)
  if (limit !== undefined) query.set('limit', String(limit))
  if (offset !== undefined && offset > 0) query.set('offset', String(offset))
  return query
}

function checkFilter(name: string): void {
  if (ownArguments.has(name)) throw new Error(`"${name}" is not a filter: pass it as an argument of the call`)
  if (!/^[A-Za-z0-9_]+$/.test(name))
    throw new Error(`"${name.slice(0, 60)}" is not a valid filter name: use letters, digits and _`)
  const [, ...rest] = name.split('__')
  const odd = rest.find((part) => !comparisons.has(part))
  if (odd === undefined && rest.length <= 1) return
  throw new Error(
    `NetBox would ignore the filter "${name}": it does not look through objects. Ask for the other object first and filter by its slug or id. After __ it takes: ${[...comparisons].join(', ')}`,
  )
}
