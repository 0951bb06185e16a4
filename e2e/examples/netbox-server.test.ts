// The MCP server of examples/netbox through the official client, with its mock NetBox and with servers that misbehave.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { gzipSync } from 'node:zlib'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createLog } from '../../examples/netbox/mcp/log.ts'
import { createNetboxClient } from '../../examples/netbox/mcp/netbox-client.ts'
import { createNetboxServer } from '../../examples/netbox/mcp/netbox-server.ts'
import { objectType } from '../../examples/netbox/mcp/object-types.ts'
import { comparisons } from '../../examples/netbox/mcp/query.ts'
import { serveNetbox } from '../../examples/netbox/offline/netbox-api.mjs'
import { listenOnLoopback } from '../support/network/listen-on-loopback.ts'
import { plainCanary } from '../support/server/canary.ts'

const { secret: token } = plainCanary('the token of NetBox')

let netbox: { readonly url: string; readonly server: Server }
/** The log output of the server, over all tests. */
let logged = ''

beforeAll(async () => {
  netbox = await serveNetbox({ token })
})
afterAll(() => void netbox?.server.close())

const write = (line: string) => {
  logged += line
}

type Call = { readonly text: string; readonly isError: boolean }

async function connected(options: { url?: string; token?: string; timeoutMs?: number; mostBytes?: number } = {}) {
  const log = createLog({ level: 'DEBUG', secret: token, write })
  const asked = createNetboxClient({ token, log, ...options, url: new URL(options.url ?? netbox.url) })
  const server = createNetboxServer({ netbox: asked, isDemo: false })
  const client = new Client({ name: 'test', version: '1.0.0' })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(there), client.connect(here)])
  onTestFinished(() => client.close())
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<Call> => {
    const result = await client.callTool({ name, arguments: input })
    const [first] = Array.isArray(result.content) ? result.content : []
    return { text: String(first?.text), isError: result.isError === true }
  }
  const page = async (input: Record<string, unknown>, name = 'netbox_get_objects') => {
    const { text, isError } = await call(name, input)
    if (isError) throw new Error(text)
    return JSON.parse(text)
  }
  return { client, call, page }
}

/** A server with a scripted response. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return await listenOnLoopback(server)
}

describe('the tools of the NetBox server', () => {
  it('are three, and each is marked read-only', async () => {
    const { client } = await connected()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'netbox_get_objects',
      'netbox_get_object_by_id',
      'netbox_get_changelogs',
    ])
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([true, true, true])
    expect(tools[0]?.inputSchema.properties?.object_type).toMatchObject({
      enum: expect.arrayContaining(['sites', 'racks', 'devices', 'ip-addresses', 'virtual-machines', 'cables']),
    })
    expect(tools[0]?.inputSchema.required).toEqual(['object_type'])
  })

  it('count all objects, return one page and explain how to get the next', async () => {
    const { page } = await connected()
    const first = await page({ object_type: 'sites', limit: 10 })
    expect(first).toMatchObject({
      object_type: 'sites',
      count: 24,
      returned: 10,
      next: expect.stringContaining('offset 10'),
    })
    const last = await page({ object_type: 'sites', limit: 10, offset: 20 })
    expect(last).toMatchObject({ count: 24, offset: 20, returned: 4 })
    expect(last).not.toHaveProperty('next')
    const ids = [...first.results, ...last.results].map(({ id }: { id: number }) => id)
    expect(new Set(ids).size).toBe(14)
  })

  it('filter by one value, by any of several, by relations and by comparisons, all combined', async () => {
    const { page } = await connected()
    const count = async (object_type: string, filters: object) => (await page({ object_type, filters, limit: 1 })).count
    expect(await count('sites', { region: 'baltic' })).toBe(4)
    expect(await count('sites', { region: ['baltic', 'americas'] })).toBe(9)
    // A region includes the regions inside it.
    expect(await count('sites', { region: 'europe' })).toBe(14)
    expect(await count('sites', { status: 'planned' })).toBe(1)
    expect(await count('devices', { site: 'rtm01', role: 'router' })).toBe(2)
    expect(await count('devices', { site_id: 1 })).toBe(20)
    expect(await count('devices', { name__ic: 'FIREWALL' })).toBe(27)
    expect(await count('vlans', { vid: 99, site: ['rtm01', 'anr01'] })).toBe(2)
    expect(await count('sites', { q: 'genoa' })).toBe(1)
  })

  it('support every comparison of a filter', async () => {
    const { call, page } = await connected()
    const count = async (object_type: string, filters: object) => (await page({ object_type, filters, limit: 1 })).count
    const counts: Readonly<Record<string, readonly [kind: string, field: string, value: unknown, count: number]>> = {
      n: ['sites', 'name', ['Genoa', 'Oslo'], 22],
      ic: ['sites', 'name', 'EN', 4],
      nic: ['sites', 'name', 'EN', 20],
      iew: ['sites', 'name', 'BURG', 2],
      niew: ['sites', 'name', 'BURG', 22],
      isw: ['sites', 'name', 'ha', 2],
      nisw: ['sites', 'name', ['ha', 'Genoa'], 21],
      ie: ['sites', 'name', 'genoa', 1],
      nie: ['sites', 'name', 'genoa', 23],
      empty: ['regions', 'parent', true, 3],
      regex: ['sites', 'name', '^H.*g$', 2],
      iregex: ['sites', 'name', '^h.*G$', 2],
      lt: ['vlans', 'vid', 30, 48],
      lte: ['vlans', 'vid', 30, 72],
      gt: ['vlans', 'vid', 40, 24],
      gte: ['vlans', 'vid', 40, 48],
    }
    expect(Object.keys(counts)).toEqual([...comparisons])
    for (const [comparison, [kind, field, value, expected]] of Object.entries(counts)) {
      expect({ comparison, count: await count(kind, { [`${field}__${comparison}`]: value }) }).toEqual({
        comparison,
        count: expected,
      })
    }
    expect(await count('sites', { name__regex: '^h' })).toBe(0)
    expect(await count('sites', { description__empty: false })).toBe(24)
    expect(await count('regions', { parent: 'null' })).toBe(3)
    const odd = await call('netbox_get_objects', { object_type: 'sites', filters: { name__regex: '(' } })
    expect(odd.text).toContain('name__regex: Enter a valid regular expression.')
  })

  it('return the requested fields, or each object in brief', async () => {
    const { page } = await connected()
    const named = await page({ object_type: 'devices', fields: ['name', 'status'], limit: 1 })
    expect(named.results).toEqual([{ name: 'rtm01-router-1', status: { value: 'active', label: 'Active' } }])
    const [short] = (await page({ object_type: 'devices', brief: true, limit: 1 })).results
    expect(short).toMatchObject({ id: 1, name: 'rtm01-router-1' })
    expect(short).not.toHaveProperty('status')
    const [last] = (await page({ object_type: 'sites', ordering: '-name', limit: 1, brief: true })).results
    expect(last.name).toBe('Yokohama')
  })

  it('show one object, and the changelog with the newest entry first', async () => {
    const { call, page } = await connected()
    const { text } = await call('netbox_get_object_by_id', { object_type: 'sites', object_id: 2 })
    expect(JSON.parse(text).result).toMatchObject({ id: 2, slug: 'anr01', region: { slug: 'north-sea' } })
    const changes = await page({ filters: { action: 'create' }, limit: 100 }, 'netbox_get_changelogs')
    expect(changes).toMatchObject({ count: 7, returned: 7 })
    const times: string[] = changes.results.map(({ time }: { time: string }) => time)
    expect(times).toEqual(times.toSorted().reverse())
    const late = await page({ filters: { time_after: '2026-05-29' }, limit: 1 }, 'netbox_get_changelogs')
    expect(late.count).toBeLessThan(10)
  })

  it('find the changelog at the path of older versions', async () => {
    const paths: string[] = []
    const url = await answering((request, response) => {
      paths.push(new URL(request.url ?? '', 'http://x').pathname)
      const isOld = request.url?.startsWith('/api/extras/') === true
      response.writeHead(isOld ? 200 : 404).end(JSON.stringify(isOld ? { count: 0, results: [] } : { detail: 'no' }))
    })
    const { page } = await connected({ url })
    const before = logged.length
    for (let call = 0; call < 3; call += 1) {
      expect(await page({}, 'netbox_get_changelogs')).toMatchObject({ count: 0 })
    }
    const [core, extras] = ['/api/core/object-changes/', '/api/extras/object-changes/']
    expect(paths).toEqual([core, extras, extras, extras])
    expect(logged.slice(before)).not.toContain('ERROR')
  })

  it('accept other spellings of an object type, and list all types for an unknown one', async () => {
    const { call, page } = await connected()
    for (const object_type of ['site', 'dcim.site', 'Sites']) expect((await page({ object_type })).count).toBe(24)
    expect((await page({ object_type: 'ip_address', limit: 1 })).object_type).toBe('ip-addresses')
    for (const object_type of ['dragons', 'virtualization.site', 'users.tokens', 'constructor', '__proto__']) {
      const { text, isError } = await call('netbox_get_objects', { object_type })
      expect({ isError, text }).toEqual({
        isError: true,
        text: expect.stringMatching(/Use one of: sites, .*virtual-ma/),
      })
      expect(text).toContain(`no object type "${object_type}"`)
    }
  })

  it.each([
    ['interface', 'dcim/interfaces'],
    ['dcim.interface', 'dcim/interfaces'],
    ['virtualization.interface', 'virtualization/interfaces'],
    ['virtualization.vminterface', 'virtualization/interfaces'],
    ['ipam.role', 'ipam/roles'],
    ['virtualization.vm', 'virtualization/virtual-machines'],
  ])('map %s to %s', (name, path) => {
    expect(objectType(name).endpoint).toBe(`api/${path}/`)
  })

  it('refuse filters that NetBox would silently ignore, and paths outside of its API', async () => {
    const { call } = await connected()
    const refused = async (input: object) =>
      (await call('netbox_get_objects', { object_type: 'devices', ...input })).text
    expect(await refused({ filters: { site__region: 'europe' } })).toContain('would ignore the filter "site__region"')
    expect(await refused({ filters: { limit: 1000 } })).toContain('pass it as an argument of the call')
    expect(await refused({ filters: { 'a&b': 1 } })).toContain('is not a valid filter name')
    expect(await refused({ limit: 1000 })).toMatch(/limit/)
    expect(await refused({ object_type: '../../users/tokens' })).toContain('no object type')
    const odd = await call('netbox_get_object_by_id', { object_type: 'sites', object_id: '1/../../users' })
    expect(odd).toMatchObject({ isError: true, text: expect.stringContaining('object_id') })
  })

  it('cut results that are too long for a model, and report it', async () => {
    const results = Array.from({ length: 50 }, (_, id) => ({ id, text: 'x'.repeat(2_000) }))
    const url = await answering((_request, response) => void response.end(JSON.stringify({ count: 50, results })))
    const { page } = await connected({ url })
    const cut = await page({ object_type: 'sites', limit: 50 })
    expect(cut.returned).toBeLessThan(25)
    expect(cut).toMatchObject({
      cut: expect.stringContaining('fields'),
      next: expect.stringContaining(`offset ${cut.returned}`),
    })
    expect((await page({ object_type: 'sites', limit: 50, fields: ['id'] })).returned).toBe(50)
  })
})

describe('a NetBox that refuses or fails', () => {
  const sites = { object_type: 'sites' }

  it('is reported in its own words for an unknown value and an unknown id', async () => {
    const { call } = await connected()
    const wrong = await call('netbox_get_objects', { object_type: 'devices', filters: { site: 'atlantis' } })
    expect(wrong.text).toContain('site: Select a valid choice. atlantis is not one of the available choices.')
    const none = await call('netbox_get_object_by_id', { object_type: 'sites', object_id: 999 })
    expect(none).toEqual({ isError: true, text: 'There is none of sites with the id 999' })
  })

  it('is reported without the token, whatever it answers', async () => {
    const echo = await answering((request, response) => {
      response.writeHead(400).end(JSON.stringify({ detail: `you sent ${request.headers.authorization}` }))
    })
    const { text } = await (await connected({ url: echo })).call('netbox_get_objects', sites)
    expect(text).toBe('NetBox rejected the request: you sent Token [redacted]')
    const other = await connected({ token: `${token}-but-another` })
    expect((await other.call('netbox_get_objects', sites)).text).toMatch(/refused the token \(403: Invalid token\)/)
    expect(logged).toContain('GET /api/dcim/sites/')
    expect(logged).not.toContain(token)
  })

  it.each([440, 470, 485])('has the token removed before its message is cut, after %i characters', async (count) => {
    const url = await answering((request, response) => {
      response.writeHead(403).end(JSON.stringify({ detail: 'y'.repeat(count) + request.headers.authorization }))
    })
    const before = logged.length
    const { text } = await (await connected({ url })).call('netbox_get_objects', sites)
    expect(text).toMatch(/^NetBox refused the token \(403: y{440}/)
    for (const output of [text, logged.slice(before)]) expect(output).not.toContain(token.slice(0, 8))
  })

  it.each<[string, (authorization: string) => string]>([
    ['as it is', (text) => text],
    ['in capitals', (text) => text.toUpperCase()],
    ['percent-encoded', (text) => encodeURIComponent(text)],
    ['percent-encoded letter by letter', (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&')],
    ['percent-encoded twice', (text) => encodeURIComponent(encodeURIComponent(text))],
    ['in hex', (text) => Buffer.from(text).toString('hex')],
    ['in base64', (text) => Buffer.from(text).toString('base64')],
    ['in base64, one byte further', (text) => Buffer.from(`:${text}`).toString('base64')],
    ['in base64, two bytes further', (text) => Buffer.from(`::${text}:`).toString('base64')],
    ['in base64 for addresses', (text) => Buffer.from(text).toString('base64url')],
    ['in base64, percent-encoded', (text) => encodeURIComponent(Buffer.from(text).toString('base64'))],
    ['escaped in JSON', (text) => Array.from(text, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')],
  ])('has its echo of the token redacted in answers and refusals: %s', async (_how, spelled) => {
    // Contains every character that some encoding treats specially. Assembled here, so that no file contains a token.
    const odd = ['nbt', `key.${token}/+"\\~>?`].join('_')
    const asJson = (text: string) => (text.startsWith('\\u') ? text : JSON.stringify(text).slice(1, -1))
    for (const [sent, secret] of [
      [token, token],
      [odd, odd],
      [odd, odd.slice('nbt_key.'.length)],
    ] as const) {
      const echo = asJson(spelled(`Token ${secret}`))
      const listener: RequestListener = ({ url }, response) =>
        void (url?.includes('/sites/') === true
          ? response.end(`{"count":1,"results":[{"id":1,"name":"${echo}"}]}`)
          : response.writeHead(403).end(`{"detail":"${echo}"}`))
      const { call, page } = await connected({ url: await answering(listener), token: sent })
      const { results } = await page(sites)
      const { text } = await call('netbox_get_objects', { object_type: 'racks' })
      for (const output of [results[0].name, text]) {
        expect(output).toContain('[redacted]')
        // "Token " in its encoded form, and at most one base64 character at each end.
        const left = output.replace('[redacted]', '').replace(/^.*403: |(?:=|%3D)*\)\. Check.*$|(?:=|%3D)+$/g, '')
        expect(left.length).toBeLessThanOrEqual(spelled('Token ').length + 2)
      }
    }
    expect(logged).not.toContain(token)
  })

  it('is reported when it fails, is not a NetBox, is silent, sends too much or is unreachable', async () => {
    const messageOf = async (listener: RequestListener, options: object = {}) => {
      const { call } = await connected({ url: await answering(listener), ...options })
      const { text, isError } = await call('netbox_get_objects', sites)
      return isError ? text : `no error: ${text}`
    }
    expect(await messageOf((_, response) => void response.writeHead(502).end('<html>'))).toContain(
      'NetBox failed (502)',
    )
    expect(await messageOf((_, response) => void response.end('<html>'))).toContain('not with JSON')
    expect(await messageOf((_, response) => void response.end('[1]'))).toContain('not like NetBox')
    expect(await messageOf(() => undefined, { timeoutMs: 50 })).toContain('did not answer within 0.05 seconds')
    expect(await messageOf((_, response) => void response.end('x'.repeat(200)), { mostBytes: 100 })).toContain(
      'smaller limit',
    )
    const packed = gzipSync('x'.repeat(100_000))
    const unpacking: RequestListener = (_, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
    expect(packed.length).toBeLessThan(1_000)
    expect(await messageOf(unpacking, { mostBytes: 1_000 })).toContain('smaller limit')
    const deep = '{"a":'.repeat(20_000).concat('1', '}'.repeat(20_000))
    expect(await messageOf((_, response) => void response.end(`{"count":1,"results":[${deep}]}`))).toContain(
      'too deeply',
    )
    expect(await messageOf((_, response) => void response.writeHead(400).end(`{"detail":${deep}}`))).toContain(
      'rejected the request',
    )
    const redirect = (_: unknown, response: Parameters<RequestListener>[1]) =>
      void response.writeHead(302, { location: netbox.url }).end()
    expect(await messageOf(redirect)).toContain('redirects to another address (302)')
    const closedServer = createServer()
    const url = await listenOnLoopback(closedServer)
    closedServer.close()
    await once(closedServer, 'close')
    const { call } = await connected({ url })
    expect((await call('netbox_get_objects', sites)).text).toContain('the connection was refused')
  })

  it('is only ever sent GET requests, and refuses others', async () => {
    const methods = new Set<string | undefined>()
    const url = await answering((request, response) => {
      methods.add(request.method)
      response.end(JSON.stringify({ count: 0, results: [] }))
    })
    const { client, call } = await connected({ url })
    for (const { name } of (await client.listTools()).tools) await call(name, { object_type: 'sites', object_id: 1 })
    expect([...methods]).toEqual(['GET'])
    const authorization = `Token ${token}`
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(netbox.url + path, { headers: { authorization }, ...init })
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await ask('/api/dcim/sites/', { method })).status).toBe(405)
    }
    expect((await ask('/api/dcim/sites/', { headers: {} })).status).toBe(401)
    expect((await ask('/api/dcim/nothing/')).status).toBe(404)
    for (const path of ['//', '//x:y/', '/%']) expect((await ask(path)).status).toBe(404)
    const { next, previous } = await (await ask('/api/dcim/sites/?limit=5&offset=5&region=europe')).json()
    expect([next, previous].map((link) => new URL(link).searchParams.toString())).toEqual([
      'limit=5&offset=10&region=europe',
      'limit=5&offset=0&region=europe',
    ])
  })
})
