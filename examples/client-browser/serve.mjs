// @ts-check
// The page's own server. It holds the token with full access and gives each visitor a restricted key, which is limited to
// the sessions of its owner, expires after an hour and has a rate limit. All visitors share a budget.
//   node examples/client-browser/serve.mjs
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, extname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@quarterdeck/client'

const here = dirname(fileURLToPath(import.meta.url))
const port = Number(process.env.PORT ?? 4400)
/**
 * The address of the page. It is configured, not read from the request: any host name can be made to resolve to this
 * address.
 */
const origin = process.env.PAGE_ORIGIN ?? `http://127.0.0.1:${port}`
const baseUrl = process.env.QUARTERDECK_URL ?? 'http://127.0.0.1:4300'
const token = process.env.QUARTERDECK_TOKEN ?? (await readFile('.quarterdeck/token', 'utf8')).trim()
const client = createClient({ baseUrl, token })

const folderOf = (/** @type {string} */ name) => dirname(fileURLToPath(import.meta.resolve(name)))
const folders = {
  '/modules/client/': folderOf('@quarterdeck/client'),
  '/modules/protocol/': folderOf('@quarterdeck/protocol'),
  '/modules/eventsource-parser/': folderOf('eventsource-parser'),
  '/modules/zod/': folderOf('zod'),
  '/': here,
}
const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript' }

const owner = 'visitors'

/** Each visitor gets a key. A real page authenticates visitors first and makes them the owners of their keys. */
async function newKey() {
  await ensureBudget()
  const { token: key } = await client.createKey({
    name: `page-${crypto.randomUUID()}`,
    scope: 'operator',
    owner,
    expiresAt: new Date(Date.now() + 60 * 60 * 1000).toISOString(),
    requestsPerMinute: 300,
  })
  return { baseUrl, token: key }
}

/** The budget belongs to the owner, so a visitor who reloads the page gets another key but not more money. */
async function ensureBudget() {
  const { budgets } = await client.listBudgets()
  if (budgets.some(({ scope, subject }) => scope === 'user' && subject === owner)) return
  await client.createBudget({ scope: 'user', subject: owner, period: 'day', limit: 1 })
}

/** @param {string} path */
async function readPublic(path) {
  const [prefix, folder] = Object.entries(folders).find(([start]) => path.startsWith(start)) ?? ['/', here]
  const file = normalize(join(folder, path.slice(prefix.length) || 'index.html'))
  const type = types[/** @type {keyof typeof types} */ (extname(file))]
  if (type === undefined || !file.startsWith(folder + sep)) return null
  return { type, body: await readFile(file) }
}

const server = createServer(async (request, response) => {
  try {
    if (request.method === 'POST' && request.url === '/key') {
      // Browsers send the origin of a POST: other pages get no key.
      if (request.headers.origin !== origin) return void response.writeHead(403).end()
      const key = JSON.stringify(await newKey())
      return void response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(key)
    }
    const found = await readPublic(new URL(request.url ?? '/', 'http://page').pathname)
    if (found === null) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': `${found.type}; charset=utf-8` }).end(found.body)
  } catch (error) {
    console.error(error)
    response.writeHead(500).end()
  }
})
server.listen(port, '127.0.0.1', () => console.log(origin))
