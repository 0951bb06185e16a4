// Users copy the examples of the typed client, so each runs with a real server and the built package.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Browser, openBrowser } from '../support/browser/browser.ts'
import { startCuttingProxy } from '../support/network/cutting-proxy.ts'
import { listenOnLoopback } from '../support/network/listen-on-loopback.ts'
import { checkout, cleanEnvironment, examples, newFolder, type Served, serve } from '../support/server/serve.ts'

const patience = { timeout: 60_000 }
let served: Served
let pageUrl = ''
let pageServer: ChildProcess
let browser: Browser

const start = async (file: string, env: Readonly<Record<string, string>>): Promise<ChildProcess> =>
  spawn(process.execPath, [join(examples, file)], {
    cwd: checkout,
    env: { ...(await cleanEnvironment(await newFolder('home'))), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** Simulates DNS rebinding: a name that resolves to this machine, with matching host and origin. */
function keyUnderAnotherName(): Promise<number | undefined> {
  const host = `evil.example:${new URL(pageUrl).port}`
  return new Promise((resolve, reject) => {
    request(`${pageUrl}/key`, { method: 'POST', headers: { host, origin: `http://${host}` } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

/** Runs the program until it exits. */
async function run(file: string, url: string) {
  const child = await start(file, { QUARTERDECK_URL: url, QUARTERDECK_TOKEN: served.token })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

/** Chosen before either server starts: each must know the address of the other. */
async function freeAddress(): Promise<string> {
  const taken = createServer()
  const address = await listenOnLoopback(taken)
  taken.close()
  return address
}

beforeAll(async () => {
  pageUrl = await freeAddress()
  served = await serve({ args: ['--model-source', 'simulator', '--origin', pageUrl] })
  const env = { QUARTERDECK_URL: served.url, QUARTERDECK_TOKEN: served.token, PORT: new URL(pageUrl).port }
  pageServer = await start('client-browser/serve.mjs', env)
  const started = once(pageServer.stdout ?? pageServer, 'data')
  browser = await openBrowser()
  await started
})

afterAll(async () => {
  await browser?.close()
  pageServer?.kill()
  await served?.stop()
})

it('client-node runs a whole session, even when connections break', async () => {
  // Cuts the first two streams after one or two events, before the first word. Later streams stay.
  const bounds = [1500, 2400]
  const proxy = await startCuttingProxy(served.url, () => bounds.shift() ?? Number.POSITIVE_INFINITY)
  const { code, output } = await run('client-node/main.mjs', proxy.url)
  await proxy.close()
  expect({ code, output }).toMatchObject({ code: 0 })
  expect(output).toMatch(/^\[client\] session ses_\w+$/m)
  expect(output).toMatch(/^Nice to meet you, Ada\./m)
  expect(output).toContain('[client] Bash {"command":"echo approved"')
  expect(output).toContain('-> allow')
  expect(output).toContain('[client] connection lost, reconnecting')
  expect(output).toMatch(/^\[client\] completed, \d+ events seen$/m)
})

it('client-node runs again on the same server, and over a WebSocket it receives the approval requests', async () => {
  const [again, socket] = await Promise.all([
    run('client-node/main.mjs', served.url),
    run('client-node/socket.mjs', served.url),
  ])
  expect(again).toMatchObject({ code: 0, output: expect.stringMatching(/^\[client\] completed, \d+ events seen$/m) })
  expect(socket).toMatchObject({ code: 0, output: expect.stringContaining('-> allow') })
  expect(socket.output).toContain('pears: 7 pieces')
})

it('client-browser works on another origin with its own key, and the token stays on its server', async () => {
  const page = await browser.newPage()
  page.setDefaultTimeout(patience.timeout)
  const seen: string[] = []
  const problems: string[] = []
  page.on('request', (request) => void seen.push(`${request.url()} ${JSON.stringify(request.headers())}`))
  page.on('pageerror', (error) => void problems.push(error.message))
  await page.goto(pageUrl)
  await page.getByRole('status').getByText('live').waitFor()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'allow' }).click()
  await expect.poll(() => page.locator('#answer').innerText(), patience).toMatch(/printed:\s+```\s+approved/)
  await expect.poll(() => page.locator('#approvals').innerText(), patience).toBe('')
  expect(problems).toEqual([])
  expect(seen.some((request) => request.includes('Bearer qd-key-'))).toBe(true)
  expect(seen.join('\n')).not.toContain(served.token)
  const { sessions } = await served.client.listSessions({ text: 'A page with an agent' })
  expect(sessions.map(({ agentName, owner }) => ({ agentName, owner }))).toEqual([
    { agentName: 'coder', owner: 'visitors' },
  ])
  // Another key does not give more budget.
  await fetch(`${pageUrl}/key`, { method: 'POST', headers: { origin: pageUrl } })
  const { budgets } = await served.client.listBudgets()
  expect(budgets).toMatchObject([{ scope: 'user', subject: 'visitors', limit: 1 }])
  await page.close()
})

it('client-browser gives no key to pages of other origins', async () => {
  const answers = await Promise.all(
    [{}, { origin: 'https://evil.example' }].map((headers) => fetch(`${pageUrl}/key`, { method: 'POST', headers })),
  )
  expect(answers.map(({ status }) => status)).toEqual([403, 403])
  expect(await keyUnderAnotherName()).toBe(403)
  const outside = await fetch(`${pageUrl}/modules/protocol/..%2f..%2fpackage.json`)
  expect(outside.status).toBe(404)
})

/** Checks only after the model has answered: earlier text is part of the answer. */
const comesLate = `
for (let session; !(session?.costUsd > 0 && /idle|waiting/.test(session.status)); ) {
  const headers = { authorization: 'Bearer ' + token }
  session = (await (await fetch('SERVER/v1/sessions/' + sessionId, { headers })).json()).session
  await new Promise((resolve) => setTimeout(resolve, 50))
}
`

/** The TypeScript programs in the docs, run as a reader would run them. */
it.each([
  ['README.md', 0, /^Hello!/],
  ['docs/reference/api.md', 0, /^Hello!/],
  ['docs/reference/api.md', 1, /^Hello!/],
  ['docs/how-to/client-tools.md', 0, /^weather returned: Oslo: rain/m],
])('the program in %s (%i) runs unchanged and prints everything', async (page, index, expected) => {
  const shown = [...(await readFile(join(checkout, page), 'utf8')).matchAll(/^```ts\n([\s\S]*?)^```$/gm)][index]?.[1]
  if (shown === undefined) throw new Error('there is no such program')
  // Inside the checkout, so that imports resolve, in a folder with the token of this server.
  const results = join(checkout, 'e2e', 'results')
  const folder = await newFolder('shown')
  await mkdir(results, { recursive: true })
  await mkdir(join(folder, '.quarterdeck'))
  await writeFile(join(folder, '.quarterdeck', 'token'), served.token)
  const file = join(results, `shown-${page.replaceAll(/\W/g, '-')}-${index}.mjs`)
  await writeFile(
    file,
    shown.replace('\nfor await', `${comesLate}\nfor await`).replaceAll(/SERVER|http:\/\/127.0.0.1:4300/g, served.url),
  )
  const env = await cleanEnvironment(await newFolder('home'))
  const child = spawn(process.execPath, [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'close')
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(expected) })
})
