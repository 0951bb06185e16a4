import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { errorText } from '../terminal/error-text.ts'
import { exitCodeOfError } from '../terminal/exit-codes.ts'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import { connectServer } from './connect-server.ts'
import { openTestServer } from './test-server.fixture.ts'

/** A foreign server that records its requests and the keys it was sent. */
async function openForeignServer() {
  const shown: (string | undefined)[] = []
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    shown.push(request.headers.authorization)
    asked.push(request.url)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"approvals":[]}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { shown, asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } // listening on a port, so it is an object
}

it('sends the token of the data folder to no other address, which needs its own key', async () => {
  const testServer = await openTestServer([])
  const foreign = await openForeignServer()
  const { terminal } = await testServer.openTerminal({ QUARTERDECK_URL: foreign.url })
  await expect(connectServer(terminal, {}).then((client) => client.listApprovals({}))).rejects.toMatchObject({
    code: 'auth.required',
    message: expect.stringContaining('QUARTERDECK_TOKEN'),
  })
  expect(foreign.shown).toEqual([])
  const keyed = await testServer.openTerminal({ QUARTERDECK_URL: foreign.url, QUARTERDECK_TOKEN: 'made-up' })
  await (await connectServer(keyed.terminal, {})).listApprovals({})
  expect(foreign.shown).toEqual(['Bearer made-up'])
})

it('uses the token of the data folder when its own server is named', async () => {
  const testServer = await openTestServer([])
  const { terminal } = await testServer.openTerminal({ QUARTERDECK_URL: testServer.url })
  expect(await (await connectServer(terminal, {})).listApprovals({})).toEqual({ approvals: [] })
})

it('requires a key for a named server without a data folder', async () => {
  const { terminal } = await openTestTerminal({ piped: '', env: { QUARTERDECK_URL: 'http://127.0.0.1:1' } })
  await expect(connectServer(terminal, {})).rejects.toMatchObject({ code: 'auth.required' })
})

it('accepts an address with a trailing slash or a path', async () => {
  const testServer = await openTestServer([])
  const { terminal } = await testServer.openTerminal({ QUARTERDECK_URL: `${testServer.url}/` })
  expect(await (await connectServer(terminal, {})).listApprovals({})).toEqual({ approvals: [] })
  const foreign = await openForeignServer()
  const env = { QUARTERDECK_URL: `${foreign.url}/behind/a/proxy/`, QUARTERDECK_TOKEN: 'made-up' }
  await (await connectServer((await testServer.openTerminal(env)).terminal, {})).listApprovals({})
  expect(foreign.asked).toEqual(['/behind/a/proxy/v1/approvals'])
})

it.each(['nonsense', 'localhost:4300', 'http://', ''])('refuses %j as the address of a server', async (url) => {
  const env = { QUARTERDECK_URL: url, QUARTERDECK_TOKEN: 'made-up' }
  const { terminal } = await openTestTerminal({ piped: '', env })
  const refused = await connectServer(terminal, {}).catch((error: unknown) => error)
  expect(errorText(refused)).toMatch(
    /^QUARTERDECK_URL is ".*", which is not the address of a server: use one such as http:/,
  )
  expect(exitCodeOfError(refused)).toBe(2)
})
