// A small server with the shape of NetBox's REST API, on loopback only: tokens, lists with pages and filters, and
// single objects. It refuses every write.
import { createServer } from 'node:http'
import { buildInventory } from './build-inventory.mjs'
import { filterRows } from './filter-rows.mjs'
import { brief, shown } from './tables.mjs'

/** @typedef {import('./tables.mjs').Row} Row */
/** @typedef {{ status: number, body: unknown }} Answer */

/**
 * @param {{ token: string, port?: number }} options
 * @returns {Promise<{ url: string, server: import('node:http').Server }>}
 */
export async function serveNetbox({ token, port = 0 }) {
  const tables = buildInventory()
  let url = ''
  const server = createServer((request, response) => {
    const { status, body } = answer(tables, { request, token, origin: url })
    response.writeHead(status, { 'content-type': 'application/json', 'api-version': '4.3' })
    response.end(JSON.stringify(body))
  })
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(undefined))
  })
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : port}`
  return { url, server }
}

/**
 * @param {import('./tables.mjs').Tables} tables
 * @param {{ request: import('node:http').IncomingMessage, token: string, origin: string }} asked
 * @returns {Answer}
 */
function answer(tables, { request, token, origin }) {
  const given = request.headers.authorization
  if (given === undefined) return refused(401, 'Authentication credentials were not provided.')
  if (given !== `Token ${token}` && given !== `Bearer ${token}`) return refused(403, 'Invalid token')
  if (request.method !== 'GET') return refused(405, `Method "${request.method}" not allowed.`)
  // Appended to the origin instead of resolved against it: a path that starts with `//` would name another host.
  const address = `${origin}${request.url}`
  if (!URL.canParse(address)) return refused(400, 'Bad request.')
  const { pathname, searchParams } = new URL(address)
  if (pathname === '/api/status/') return { status: 200, body: { 'netbox-version': '4.3.0', demo: true } }
  const [, path = '', id] = /^\/api\/([a-z]+\/[a-z-]+)\/(?:(\d+)\/)?$/.exec(pathname) ?? []
  if (!tables.paths().includes(path)) return refused(404, 'Not found.')
  if (id === undefined) return listed(tables, { path, query: searchParams, origin })
  const row = tables.all(path)[Number(id) - 1]
  return row === undefined
    ? refused(404, 'No object matches the given query.')
    : { status: 200, body: asAsked(row, searchParams, origin) }
}

/**
 * @param {number} status
 * @param {string} detail
 * @returns {Answer}
 */
const refused = (status, detail) => ({ status, body: { detail } })

/**
 * @param {import('./tables.mjs').Tables} tables
 * @param {{ path: string, query: URLSearchParams, origin: string }} asked
 * @returns {Answer}
 */
function listed(tables, { path, query, origin }) {
  const found = filterRows(tables, path, query)
  if ('refusal' in found) return { status: 400, body: found.refusal }
  const limit = Math.min(wholeNumber(query.get('limit')) || 50, 1000)
  const offset = wholeNumber(query.get('offset'))
  const count = found.rows.length
  const at = (/** @type {number} */ from) => {
    const other = new URLSearchParams(query)
    other.set('limit', String(limit))
    other.set('offset', String(from))
    return `${origin}/api/${path}/?${other}`
  }
  const results = found.rows.slice(offset, offset + limit).map((row) => asAsked(row, query, origin))
  const next = offset + limit < count ? at(offset + limit) : null
  return { status: 200, body: { count, next, previous: offset > 0 ? at(Math.max(0, offset - limit)) : null, results } }
}

/** @param {string | null} text */
const wholeNumber = (text) => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0)

/**
 * @param {Row} row
 * @param {URLSearchParams} query
 * @param {string} origin
 */
function asAsked(row, query, origin) {
  if (/^(?:1|true)$/i.test(query.get('brief') ?? '')) return brief(row, origin)
  const fields = query.get('fields')?.split(',')
  const whole = shown(row, origin)
  return fields === undefined
    ? whole
    : Object.fromEntries(fields.filter((key) => key in whole).map((key) => [key, whole[key]]))
}
