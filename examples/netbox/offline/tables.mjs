// The objects by their path in the API, in the shape of NetBox: with id, url and display, and in short form wherever
// another object refers to them.

/** @typedef {{ id: number, url: string, display: string, [field: string]: unknown }} Row */
/** @typedef {{ display?: string, [relation: string]: unknown }} Beside */
/**
 * @typedef {object} Tables
 * @property {(path: string, fields: Readonly<Record<string, unknown>>, beside?: Beside) => Row} add
 * @property {(path: string, slug: string) => Row | null} find
 * @property {(path: string) => readonly Row[]} all
 * @property {(row: Row) => Beside} beside What can be filtered by though the object does not show it.
 * @property {() => readonly string[]} paths
 */

/** @returns {Tables} */
export function createTables() {
  /** @type {Map<string, Row[]>} */
  const tables = new Map()
  /** @type {WeakMap<Row, Beside>} */
  const hidden = new WeakMap()
  const all = (/** @type {string} */ path) => tables.get(path) ?? []
  return {
    all,
    add(path, fields, { display, ...beside } = {}) {
      const table = all(path)
      tables.set(path, table)
      const id = table.length + 1
      const shown = display ?? String(fields.name ?? fields.prefix ?? fields.address ?? fields.cid ?? `#${id}`)
      const created = '2024-03-01T08:00:00Z'
      const usual = { tags: [], custom_fields: {}, created, last_updated: created }
      const row = { id, url: `/api/${path}/${id}/`, display: shown, description: '', ...fields, ...usual }
      table.push(row)
      hidden.set(row, beside)
      return row
    },
    find: (path, slug) => all(path).find((row) => row.slug === slug) ?? null,
    beside: (row) => hidden.get(row) ?? {},
    paths: () => [...tables.keys()],
  }
}

const mentioned = [
  'id',
  'url',
  'display',
  'name',
  'slug',
  'model',
  'prefix',
  'address',
  'vid',
  'cid',
  'device',
  'description',
]

/**
 * An object as the API shows it, with the server's address in its links.
 * @param {Row} row
 * @param {string} origin
 * @returns {Record<string, unknown>}
 */
export const shown = (row, origin) => ({ ...mapValues(row, (value) => inShort(value, origin)), url: origin + row.url })

/**
 * Without nested objects, because references can form cycles.
 * @param {Row} row
 * @param {string} origin
 * @returns {Record<string, unknown>}
 */
export function brief(row, origin) {
  const fields = Object.fromEntries(mentioned.filter((key) => key in row).map((key) => [key, named(row[key], origin)]))
  return { ...fields, url: origin + row.url }
}

/**
 * @param {unknown} value
 * @param {string} origin
 */
const named = (value, origin) =>
  isRow(value) ? { id: value.id, url: origin + value.url, display: value.display, name: value.name } : value

/**
 * @param {unknown} value
 * @param {string} origin
 * @returns {unknown}
 */
function inShort(value, origin) {
  if (Array.isArray(value)) return value.map((one) => inShort(one, origin))
  if (typeof value !== 'object' || value === null) return value
  if (isRow(value)) return brief(value, origin)
  return mapValues(value, (one) => inShort(one, origin))
}

/**
 * @param {unknown} value
 * @returns {value is Row}
 */
export const isRow = (value) => typeof value === 'object' && value !== null && 'id' in value && 'display' in value

/**
 * @param {object} object
 * @param {(value: unknown) => unknown} change
 * @returns {Record<string, unknown>}
 */
const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
