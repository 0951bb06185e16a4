import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { type Client, createClient } from '@quarterdeck/client'
import type { Principal, SessionId } from '@quarterdeck/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../app/start-server.ts'
import { runtimeOptions, type Script } from '../runtime/runtime.fixture.ts'
import { openChat, sessionIn } from '../wires/chat/chat-client.fixture.ts'
import { agentFile, statusOfSocket, unsafe } from './compat-listeners.fixture.ts'
import { compatSessions } from './compat-sessions.ts'
import { openFrontEnd } from './netbox-front-end.fixture.ts'

const patience = { timeout: 30_000 }
const listed = 'http://localhost:3000'

const script: Script = (input, _turn, earlier) => {
  switch (input) {
    case 'sites':
      return [
        { type: 'tool', name: 'AskUserQuestion', input: { questions: [] }, result: 'none', toolUseId: 't1' },
        { type: 'text', chunks: ['There ', 'are ', '24 ', 'sites.'] },
      ]
    case 'bash please':
      return [{ type: 'tool', name: 'Bash', input: { command: 'ls' }, result: (ran) => JSON.stringify(ran) }]
    case 'ask me':
      return [{ type: 'tool', name: 'AskUserQuestion', input: { questions: [which] }, result: '' }]
    default:
      return [{ type: 'text', chunks: [`${input}: `, `${earlier.length} before`] }]
  }
}
const options = ['red', 'blue'].map((label) => ({ label, description: '' }))
const which = { question: 'Which?', header: 'Which', multiSelect: false, options }

let server: RunningServer
let client: Client
let agentPath: string
let chat: string
let other: string
let analysis: string
let token: string

beforeAll(async () => {
  const runtime = await runtimeOptions(script)
  agentPath = join(runtime.cwd, 'agents', 'hello', 'agent.yaml')
  server = await startServer({
    runtime,
    host: '127.0.0.1',
    port: 0,
    compatListeners: [
      { wire: 'chat', port: 0, origins: [`${listed}/`] }, // as typed by a user
      { wire: 'claude-agent-server', port: 0, agent: 'hello' },
      { wire: 'analyze', port: 0 },
    ],
  })
  ;[chat = '', other = '', analysis = ''] = server.compatListeners.map(({ url }) => url)
  token = (await readFile(join(runtime.dataDir, 'token'), 'utf8')).trim()
  client = createClient({ baseUrl: server.url, token })
})
afterAll(() => server.close())

const opened: { leave(): void }[] = []
afterEach(() => {
  for (const front of opened.splice(0)) front.leave()
})
function frontEnd(selectedModel = 'auto') {
  const front = openFrontEnd({ url: chat, origin: listed, selectedModel, reconnectMs: 50 })
  opened.push(front)
  return front
}

/** The response to a request. `fetch` does not allow setting headers such as Host. */
const ask = (url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: string }>((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    sent.on('error', reject)
    sent.end()
  })

describe('the NetBox front end on a compatibility listener', () => {
  it('works as with its own server: greets, answers, uses tools, resets and switches models', async () => {
    const front = frontEnd()
    await expect.poll(() => front.state.greetings, patience).toBe(1)
    front.ask('one')
    await expect.poll(() => front.state.isStreaming, patience).toBe(false)
    expect(front.messages).toEqual([
      { role: 'user', text: 'one' },
      { role: 'assistant', text: 'one: 0 before' },
    ])
    front.ask('two')
    await expect.poll(() => front.messages.at(-1)?.text, patience).toBe('two: 1 before')
    front.reset()
    await expect.poll(() => front.messages, patience).toEqual([])
    front.ask('three')
    await expect.poll(() => front.messages.at(-1)?.text, patience).toBe('three: 0 before')
    front.switchTo('claude-haiku-4-5-20250925')
    await expect.poll(() => front.state.model, patience).toBe('claude-haiku-4-5-20250925')
    expect(front.messages).toEqual([])
    front.ask('sites')
    await expect.poll(() => front.state.isStreaming, patience).toBe(false)
    expect(front.messages.find(({ role }) => role === 'tool')?.text).toBe(
      '🔧 Using Netbox tool: Using tool: AskUserQuestion',
    )
    expect(front.messages.at(-1)?.text).toContain('There are 24 sites.')
    front.switchTo('gpt-5')
    await expect.poll(() => front.messages.at(-1)?.role, patience).toBe('error')
    expect(front.messages.at(-1)?.text).toMatch(/^Failed to switch model: /)
    front.ask('four')
    await expect.poll(() => front.messages.at(-1)?.text, patience).toBe('four: 1 before')
  })

  it('reconnects, requests its model again and continues', async () => {
    const front = frontEnd('claude-opus-4-20250514')
    await expect.poll(() => front.state.model, patience).toBe('claude-opus-4-20250514')
    for (let drop = 0; drop < 3; drop += 1) {
      const { greetings } = front.state
      front.drop()
      await expect.poll(() => front.state.greetings, patience).toBe(greetings + 1)
      await expect.poll(() => front.state.model, patience).toBe('claude-opus-4-20250514')
    }
    front.ask('still')
    await expect.poll(() => front.messages.at(-1)?.text, patience).toBe('still: 0 before')
  })

  it('finds the models and the health of its server at their addresses', async () => {
    const health = await (await fetch(`${chat}/health`)).json()
    expect(health).toEqual({ status: 'healthy', service: 'netbox-chatbox-api', version: expect.any(String) })
    const models = (await (await fetch(`${chat}/models`)).json()) as { id: string }[] // as the wire defines it
    expect(models[0]?.id).toBe('auto')
    expect(await (await fetch(`${chat}/api/models`)).json()).toEqual(models)
  })
})

describe('a compatibility listener', () => {
  it('is listed by the server for every key', async () => {
    expect((await client.serverInfo()).compatListeners).toEqual([
      { wire: 'chat', url: chat, agent: 'hello' },
      { wire: 'claude-agent-server', url: other, agent: 'hello' },
      { wire: 'analyze', url: analysis, agent: 'hello' },
    ])
    for (const url of [chat, other, analysis]) expect(new URL(url).hostname).toBe('127.0.0.1')
  })

  it('owns the sessions started through it, and joins no others', async () => {
    const front = frontEnd()
    await expect.poll(() => front.state.greetings, patience).toBe(1)
    front.ask('mine')
    await expect.poll(() => front.messages.at(-1)?.text, patience).toBe('mine: 0 before')
    const { sessions } = await client.listSessions({ owner: 'door:chat:hello' })
    expect(sessions.length).toBeGreaterThan(0)
    const { sessionId } = await client.createSession({ agent: 'hello' })
    expect(await statusOfSocket(`${chat}/ws/chat?sessionId=${sessionId}`, {})).toBe(404)
    expect(await statusOfSocket(`${chat}/ws/chat?sessionId=${sessions[0]?.sessionId}`, {})).toBe(101)
    expect(
      await statusOfSocket(`${server.url}/ws/chat?sessionId=${sessionId}`, { authorization: `Bearer ${token}` }),
    ).toBe(101)
  })

  it('serves one wire and nothing else', async () => {
    for (const path of ['/v1/sessions', '/v1/server', '/openapi.json', '/login', '/', '/config', '/ws']) {
      expect((await ask(`${chat}${path}`)).status, path).toBe(404)
    }
    expect(await ask(`${other}/models`)).toMatchObject({ status: 404, body: 'Not Found' })
  })

  it.each(['localhost', '127.0.0.1', '[::1]'])('accepts the Host %s', async (name) => {
    expect((await ask(`${chat}/health`, { host: `${name}:${new URL(chat).port}` })).status).toBe(200)
  })

  it('refuses host names of other machines, even if they resolve to this one', async () => {
    for (const path of ['/health', '/models']) {
      expect((await ask(`${chat}${path}`, { host: 'evil.example' })).status).toBe(403)
    }
    expect(await statusOfSocket(`${chat}/ws/chat`, { host: 'evil.example' })).toBe(403)
  })

  it('refuses pages of other origins, and accepts its own, the listed ones and programs', async () => {
    for (const origin of ['http://evil.example', 'http://localhost:3001', 'null', `${listed}.evil.example`]) {
      expect(await statusOfSocket(`${chat}/ws/chat`, { origin }), origin).toBe(403)
      expect((await ask(`${chat}/models`, { origin })).status, origin).toBe(403)
    }
    for (const headers of [{}, { origin: listed }, { origin: chat }]) {
      expect(await statusOfSocket(`${chat}/ws/chat`, headers)).toBe(101)
    }
  })

  it('refuses cross-site requests without an Origin', async () => {
    for (const site of ['cross-site', 'same-site']) {
      expect((await ask(`${chat}/models`, { 'sec-fetch-site': site })).status).toBe(403)
    }
    for (const site of ['none', 'same-origin']) {
      expect((await ask(`${chat}/models`, { 'sec-fetch-site': site })).status).toBe(200)
    }
    expect((await ask(`${chat}/models`, { 'sec-fetch-site': 'same-site', origin: listed })).status).toBe(200)
  })

  it('counts its requests in the metrics of the server', async () => {
    await ask(`${chat}/models`)
    await ask(`${chat}/nothing-here`)
    const { body } = await ask(`${server.url}/metrics`, { authorization: `Bearer ${token}` })
    expect(body).toMatch(/^quarterdeck_http_requests_total\{method="GET",route="\/models",status="2xx"\} \d+$/m)
    expect(body).toMatch(/^quarterdeck_http_requests_total\{method="GET",route="none",status="4xx"\} \d+$/m)
  })

  it('answers CORS preflights for listed origins only, never with credentials', async () => {
    const preflight = {
      origin: listed,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-a',
    }
    const { status, headers } = await ask(`${chat}/models`, preflight, 'OPTIONS')
    expect(status).toBe(204)
    expect(headers['access-control-allow-origin']).toBe(listed)
    expect(headers['access-control-allow-headers']).toBe('x-a')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
    const refused = await ask(`${chat}/models`, { ...preflight, origin: 'http://evil.example' }, 'OPTIONS')
    expect(refused.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('refuses an agent whose file has become unsafe, until the file is fixed', async () => {
    const before = await readFile(agentPath, 'utf8')
    await writeFile(agentPath, agentFile('hello', unsafe))
    const front = frontEnd()
    await expect.poll(() => front.messages.at(-1)?.text, patience).toContain('cannot have a compatibility listener')
    front.leave()
    await writeFile(agentPath, before)
    const again = frontEnd()
    await expect.poll(() => again.state.greetings, patience).toBe(1)
  })
})

describe('an approval or a question on a compatibility listener', () => {
  const words = /^Error: clients of a compatibility listener have no key and cannot decide: .* admin, in the workbench/

  async function askedOverCompat(message: string, type: string) {
    const compatClient = await openChat(`${chat}/ws/chat`)
    opened.push({ leave: () => compatClient.socket.terminate() })
    const sessionId = sessionIn(await compatClient.next('connected'))
    compatClient.send({ message })
    const id = (await compatClient.next(type))?.metadata?.id
    const admin = await openChat(`${server.url}/ws/chat?sessionId=${sessionId}`, { authorization: `Bearer ${token}` })
    opened.push({ leave: () => admin.socket.terminate() })
    await admin.next(type)
    return { compatClient, admin, id }
  }

  it('is shown but not decided there, even with another input; a key on the main port decides it', async () => {
    const { compatClient, admin, id } = await askedOverCompat('bash please', 'approval_request')
    for (const more of [{}, { input: { command: 'id > pwned' } }]) {
      compatClient.send({ type: 'approval', id, decision: 'allow', ...more })
      expect(await compatClient.completed()).toMatchObject([{ type: 'error', content: expect.stringMatching(words) }])
    }
    admin.send({ type: 'approval', id, decision: 'allow', input: { command: 'ls -a' } })
    for (const { next } of [compatClient, admin])
      expect((await next('tool_result'))?.content).toBe('{"command":"ls -a"}')
    expect(compatClient.chunks.find(({ type }) => type === 'approval_settled')?.metadata).toMatchObject({
      decision: 'allow',
    })
  })

  it('is not answered there either', async () => {
    const { compatClient, admin, id } = await askedOverCompat('ask me', 'question')
    compatClient.send({ type: 'answer', id, answers: { 'Which?': 'red' } })
    expect(await compatClient.completed()).toMatchObject([{ type: 'error', content: expect.stringMatching(words) }])
    admin.send({ type: 'answer', id, answers: { 'Which?': 'blue' } })
    expect((await compatClient.next('question_settled'))?.metadata).toMatchObject({ answers: { 'Which?': 'blue' } })
  })

  it('does not block a change of model and thinking by a further question, and blocks all other changes', async () => {
    const ask = async (body: object) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${analysis}/api/analyze`, { method: 'POST', headers, body: JSON.stringify(body) })
      return (await response.json()) as { sessionId: SessionId } // as the wire defines it
    }
    const tables = [{ name: 'sales', rowCount: 1, columns: [{ name: 'city', type: 'VARCHAR' }] }]
    const { sessionId } = await ask({ question: 'one', tables, tier: 'low', thinking: false })
    const session = async () => (await client.getSession(sessionId)).session
    await expect.poll(async () => (await session()).status, patience).toBe('idle')
    await ask({ sessionId, question: 'two', tier: 'high', thinking: true })
    expect(await session()).toMatchObject({
      model: expect.stringContaining('sonnet'),
      thinking: { budgetTokens: expect.any(Number) },
    })

    const { agents, engine } = server.runtime
    const principal: Principal = {
      name: 'door:analyze:hello',
      owner: 'door:analyze:hello',
      scope: 'agent',
      requestsPerMinute: null,
    }
    const sessions = compatSessions(principal, { agent: 'hello', agents, sessionsOf: engine.sessionsOf })
    const refused = [
      { permissionMode: 'acceptEdits' as const },
      { limits: { maxTurns: 1 } },
      { isWithinFile: false },
      { title: 'x', model: 'low' },
    ]
    for (const more of refused) {
      await expect(sessions.changeSession(sessionId, more, 'x')).rejects.toMatchObject({ code: 'auth.forbidden' })
    }
  })
})
