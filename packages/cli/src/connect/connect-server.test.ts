import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { errorText } from '../terminal/error-text.ts'
import { exitCodeOfError } from '../terminal/exit-codes.ts'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import { connectServer } from './connect-server.ts'
import { openTestServer } from './test-server.fixture.ts'

/** An address of somebody else, what it was asked for and the keys that were shown to it. */
async function openStranger() {
  const shown: (string | undefined)[] = []
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    shown.push(request.headers.authorization)
    asked.push(request.url)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"approvals":[]}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { shown, asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } // listening on a port, so it is one
}

it("shows the folder's token to no other address: that one wants a key of its own", async () => {
  const testServer = await openTestServer([])
  const stranger = await openStranger()
  const { terminal } = await testServer.openTerminal({ QUARTERDECK_URL: stranger.url })
  await expect(connectServer(terminal, {}).then((client) => client.listApprovals({}))).rejects.toMatchObject({
    code: 'auth.required',
    message: expect.stringContaining('QUARTERDECK_TOKEN'),
  })
  expect(stranger.shown).toEqual([])
  const keyed = await testServer.openTerminal({ QUARTERDECK_URL: stranger.url, QUARTERDECK_TOKEN: 'made-up' })
  await (await connectServer(keyed.terminal, {})).listApprovals({})
  expect(stranger.shown).toEqual(['Bearer made-up'])
})

it("takes the folder's token where its own server is named", async () => {
  const testServer = await openTestServer([])
  const { terminal } = await testServer.openTerminal({ QUARTERDECK_URL: testServer.url })
  expect(await (await connectServer(terminal, {})).listApprovals({})).toEqual({ approvals: [] })
})

it('wants a key for a named server where there is no data folder', async () => {
  const { terminal } = await openTestTerminal({ piped: '', env: { QUARTERDECK_URL: 'http://127.0.0.1:1' } })
  await expect(connectServer(terminal, {})).rejects.toMatchObject({ code: 'auth.required' })
})

it('takes an address with a slash at its end, and one with a path', async () => {
  const testServer = await openTestServer([])
  const { terminal } = await testServer.openTerminal({ QUARTERDECK_URL: `${testServer.url}/` })
  expect(await (await connectServer(terminal, {})).listApprovals({})).toEqual({ approvals: [] })
  const stranger = await openStranger()
  const env = { QUARTERDECK_URL: `${stranger.url}/behind/a/proxy/`, QUARTERDECK_TOKEN: 'made-up' }
  await (await connectServer((await testServer.openTerminal(env)).terminal, {})).listApprovals({})
  expect(stranger.asked).toEqual(['/behind/a/proxy/v1/approvals'])
})

it.each(['nonsense', 'localhost:4300', 'http://', ''])('refuses %j as an address of a server', async (url) => {
  const env = { QUARTERDECK_URL: url, QUARTERDECK_TOKEN: 'made-up' }
  const { terminal } = await openTestTerminal({ piped: '', env })
  const refused = await connectServer(terminal, {}).catch((error: unknown) => error)
  expect(errorText(refused)).toMatch(/^QUARTERDECK_URL is ".*", which is no address of a server: say one such as http:/)
  expect(exitCodeOfError(refused)).toBe(2)
})
