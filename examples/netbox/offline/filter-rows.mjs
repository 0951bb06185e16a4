// Filters as NetBox takes them: several values of one mean any, several filters mean all, unknown ones are ignored.
import { isRow } from './tables.mjs'

/** @typedef {import('./tables.mjs').Row} Row */
/** @typedef {import('./tables.mjs').Tables} Tables */

const reserved = new Set(['limit', 'offset', 'fields', 'brief', 'ordering', 'format'])

/**
 * What NetBox answers with 400.
 * @typedef {Readonly<Record<string, readonly string[]>>} Refusal
 */

/**
 * @param {Tables} tables
 * @param {string} place
 * @param {URLSearchParams} query
 * @returns {{ rows: readonly Row[] } | { refusal: Refusal }}
 */
export function filterRows(tables, place, query) {
  let rows = tables.all(place)
  for (const name of new Set(query.keys())) {
    if (reserved.has(name)) continue
    const wanted = query.getAll(name)
    const { field, compare } = readName(name)
    const of = (/** @type {Row} */ row) => valuesOf(tables, row, field)
    if (!tables.all(place).some((row) => of(row) !== null)) continue
    const strange = compare === 'is' ? wanted.find((one) => isStrange(tables, place, { field, one })) : undefined
    if (strange !== undefined) {
      return { refusal: { [name]: [`Select a valid choice. ${strange} is not one of the available choices.`] } }
    }
    rows = rows.filter((row) => matches(of(row) ?? [], wanted, compare))
  }
  return { rows: ordered(rows, query.get('ordering')) }
}

/** @param {string} name */
function readName(name) {
  if (name === 'q') return { field: 'q', compare: 'ic' }
  const range = /^(\w+)_(after|before)$/.exec(name)
  if (range !== null) return { field: range[1] ?? '', compare: range[2] === 'after' ? 'gte' : 'lte' }
  const [field = '', compare = 'is'] = name.split('__')
  return { field, compare }
}

/**
 * `null` where an object of this kind has no such field.
 * @param {Tables} tables
 * @param {Row} row
 * @param {string} field
 * @returns {readonly string[] | null}
 */
function valuesOf(tables, row, field) {
  if (field === 'q') return [[row.display, row.name, row.description, row.slug, row.serial, row.message].join(' ')]
  const wantsId = field !== 'id' && field.endsWith('_id') && !(field in row)
  const name = wantsId ? field.slice(0, -3) : field
  const relations = { ...tables.beside(row), ...row }
  const listed = name === 'region' ? tables.beside(row).regions : undefined
  const value = listed ?? relations[name]
  if (value === undefined) return null
  return [value].flat().flatMap((one) => textsOf(one, wantsId))
}

/**
 * @param {unknown} value
 * @param {boolean} wantsId
 * @returns {readonly string[]}
 */
function textsOf(value, wantsId) {
  if (value === null) return ['null']
  if (isRow(value))
    return wantsId
      ? [String(value.id)]
      : [value.slug, value.name, value.display].flatMap((one) => (one ? [String(one)] : []))
  if (typeof value === 'object' && 'value' in value) return [String(value.value)]
  return [String(value)]
}

/**
 * A relation that is asked for by a name nobody has.
 * @param {Tables} tables
 * @param {string} place
 * @param {{ field: string, one: string }} asked
 */
function isStrange(tables, place, { field, one }) {
  const rows = tables.all(place)
  const isRelation = rows.some((row) => isRow(row[field]) || isRow(tables.beside(row)[field])) || field === 'region'
  if (!isRelation || one === 'null') return false
  const known = tables
    .places()
    .flatMap((each) => (each.endsWith(`/${field}s`) || each.endsWith(`-${field}s`) ? tables.all(each) : []))
  return known.length > 0 && !known.some((row) => textsOf(row, false).includes(one))
}

/**
 * @param {readonly string[]} values
 * @param {readonly string[]} wanted
 * @param {string} compare
 */
function matches(values, wanted, compare) {
  const low = (/** @type {string} */ text) => text.toLowerCase()
  switch (compare) {
    case 'is':
      return values.some((value) => wanted.includes(value))
    case 'n':
      return !values.some((value) => wanted.includes(value))
    case 'ic':
      return values.some((value) => wanted.some((one) => low(value).includes(low(one))))
    case 'isw':
      return values.some((value) => wanted.some((one) => low(value).startsWith(low(one))))
    case 'gte':
    case 'gt':
      return values.some((value) => wanted.some((one) => compared(value, one) >= (compare === 'gt' ? 1 : 0)))
    case 'lte':
    case 'lt':
      return values.some((value) => wanted.some((one) => compared(value, one) <= (compare === 'lt' ? -1 : 0)))
    default:
      return true
  }
}

/**
 * @param {string} left
 * @param {string} right
 */
const compared = (left, right) => Math.sign(left.localeCompare(right, 'en', { numeric: true }))

/**
 * @param {readonly Row[]} rows
 * @param {string | null} ordering
 */
function ordered(rows, ordering) {
  if (ordering === null) return rows
  const field = ordering.replace(/^-/, '')
  const sorted = rows.toSorted((a, b) => compared(String(a[field]), String(b[field])))
  return ordering.startsWith('-') ? sorted.reverse() : sorted
}
