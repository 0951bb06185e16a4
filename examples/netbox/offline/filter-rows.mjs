// Filters as in NetBox: several values of one filter match any of them, several filters must all match, unknown filters
// are ignored.
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
 * @param {string} path
 * @param {URLSearchParams} query
 * @returns {{ rows: readonly Row[] } | { refusal: Refusal }}
 */
export function filterRows(tables, path, query) {
  let rows = tables.all(path)
  for (const name of new Set(query.keys())) {
    if (reserved.has(name)) continue
    const wanted = query.getAll(name)
    const { field, comparison } = readName(name)
    const matches = comparisons.get(comparison)
    const of = (/** @type {Row} */ row) => valuesOf(tables, row, field)
    if (matches === undefined || !tables.all(path).some((row) => of(row) !== null)) continue
    const problem = wanted.map((one) => problemOf(tables, path, { field, comparison, one })).find((one) => one !== null)
    if (problem !== undefined) return { refusal: { [name]: [problem] } }
    rows = rows.filter((row) => matches(of(row) ?? [], wanted))
  }
  return { rows: ordered(rows, query.get('ordering')) }
}

/** @param {string} name */
function readName(name) {
  if (name === 'q') return { field: 'q', comparison: 'ic' }
  const range = /^(\w+)_(after|before)$/.exec(name)
  if (range !== null) return { field: range[1] ?? '', comparison: range[2] === 'after' ? 'gte' : 'lte' }
  const [field = '', ...rest] = name.split('__')
  return { field, comparison: rest.join('__') || 'is' }
}

/**
 * `null` if the object type has no such field, an empty list if the field is empty.
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
  const value = listed ?? (Object.hasOwn(relations, name) ? relations[name] : undefined)
  if (value === undefined) return null
  return [value].flat().flatMap((one) => textsOf(one, wantsId))
}

/**
 * @param {unknown} value
 * @param {boolean} wantsId
 * @returns {readonly string[]}
 */
function textsOf(value, wantsId) {
  if (value === null || value === '') return []
  if (isRow(value))
    return wantsId
      ? [String(value.id)]
      : [value.slug, value.name, value.display].flatMap((one) => (one ? [String(one)] : []))
  if (typeof value === 'object' && 'value' in value) return [String(value.value)]
  return [String(value)]
}

/**
 * The reason why NetBox would reject this value.
 * @param {Tables} tables
 * @param {string} path
 * @param {{ field: string, comparison: string, one: string }} asked
 * @returns {string | null}
 */
function problemOf(tables, path, { field, comparison, one }) {
  if (comparison.endsWith('regex') && !isExpression(one)) return 'Enter a valid regular expression.'
  const isByName = comparison === 'is' || comparison === 'n'
  if (!isByName || !isStrange(tables, path, { field, one })) return null
  return `Select a valid choice. ${one} is not one of the available choices.`
}

/** @param {string} text */
function isExpression(text) {
  try {
    return new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}

/**
 * Whether the value of a relation names no existing object.
 * @param {Tables} tables
 * @param {string} path
 * @param {{ field: string, one: string }} asked
 */
function isStrange(tables, path, { field, one }) {
  const rows = tables.all(path)
  const isRelation = rows.some((row) => isRow(row[field]) || isRow(tables.beside(row)[field])) || field === 'region'
  if (!isRelation || one === 'null') return false
  const known = tables
    .paths()
    .flatMap((each) => (each.endsWith(`/${field}s`) || each.endsWith(`-${field}s`) ? tables.all(each) : []))
  return known.length > 0 && !known.some((row) => textsOf(row, false).includes(one))
}

/** @typedef {(values: readonly string[], wanted: readonly string[]) => boolean} Comparison */

/**
 * @param {(value: string, one: string) => boolean} fits
 * @returns {Comparison}
 */
const any = (fits) => (values, wanted) => values.some((value) => wanted.some((one) => fits(value, one)))

/**
 * @param {Comparison} comparison
 * @returns {Comparison}
 */
const not = (comparison) => (values, wanted) => !comparison(values, wanted)

/** @param {string} text */
const low = (text) => text.toLowerCase()

/** @type {Comparison} */
const is = (values, wanted) =>
  values.length === 0
    ? wanted.some((one) => one === 'null' || one === '')
    : any((value, one) => value === one)(values, wanted)
const holds = any((value, one) => low(value).includes(low(one)))
const begins = any((value, one) => low(value).startsWith(low(one)))
const ends = any((value, one) => low(value).endsWith(low(one)))
const equals = any((value, one) => low(value) === low(one))

/**
 * What NetBox takes after `__`, and `is` for nothing.
 * @type {ReadonlyMap<string, Comparison>}
 */
const comparisons = new Map([
  ['is', is],
  ['n', not(is)],
  ['ic', holds],
  ['nic', not(holds)],
  ['isw', begins],
  ['nisw', not(begins)],
  ['iew', ends],
  ['niew', not(ends)],
  ['ie', equals],
  ['nie', not(equals)],
  ['empty', (values, wanted) => wanted.some((one) => /^(?:1|true)$/i.test(one) === (values.length === 0))],
  ['regex', any((value, one) => new RegExp(one).test(value))],
  ['iregex', any((value, one) => new RegExp(one, 'i').test(value))],
  ['lt', any((value, one) => compared(value, one) < 0)],
  ['lte', any((value, one) => compared(value, one) <= 0)],
  ['gt', any((value, one) => compared(value, one) > 0)],
  ['gte', any((value, one) => compared(value, one) >= 0)],
])

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
