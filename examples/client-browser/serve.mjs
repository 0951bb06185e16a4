// @ts-check
// The page's own server. It alone has the token that may do everything, and gives each visitor a key that may not: it works
// with the sessions of its owner, ends after an hour, and has a rate and a budget.
//   node examples/client-browser/serve.mjs
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, extname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@quarterdeck/protocol'

const here = dirname(fileURLToPath(import.meta.url))
const port = Number(process.env.PORT ?? 4400)
const baseUrl = process.env.QUARTERDECK_URL ?? 'http://127.0.0.1:4300'
const token = process.env.QUARTERDECK_TOKEN ?? (await readFile('.quarterdeck/token', 'utf8')).trim()
const client = createClient({ baseUrl, token })

const folderOf = (/** @type {string} */ name) => dirname(fileURLToPath(import.meta.resolve(name)))
const folders = { '/modules/protocol/': folderOf('@quarterdeck/protocol'), '/modules/zod/': folderOf('zod'), '/': here }
const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript' }

/** A key of its own for each visitor. A real page asks who that is first, and makes them the owner. */
async function newKey() {
  const { token: key } = await client.createKey({
    name: `page-${crypto.randomUUID()}`,
    scope: 'operator',
    owner: 'visitors',
    expiresAt: new Date(Date.now() + 60 * 60 * 1000).toISOString(),
    requestsPerMinute: 300,
    budget: { limitUsd: 1 },
  })
  return { baseUrl, token: key }
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
      // A browser says where a POST comes from: pages of others get no key.
      if (request.headers.origin !== `http://${request.headers.host}`) return void response.writeHead(403).end()
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
server.listen(port, '127.0.0.1', () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`)
})
