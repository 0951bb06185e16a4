import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createClient } from '@quarterdeck/client'
import { type Applied, modelCatalog, type Operation, operations, type SessionId } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../app/app.fixture.ts'
import { readVersion } from '../app/version.ts'
import type { Script } from '../runtime/runtime.fixture.ts'

let testApp: TestApp
afterEach(() => testApp.close())

/** The typed client over the application, so that both ends are held to the contract. */
async function open(script: Script = []) {
  testApp = await openTestApp(script)
  const fetchFromApp: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('host', '127.0.0.1:4300')
    return testApp.app.request(String(input), { ...init, headers })
  }
  return createClient({ baseUrl: 'http://127.0.0.1:4300', token: testApp.accessToken, fetch: fetchFromApp })
}

type Client = Awaited<ReturnType<typeof open>>

const reaches = (client: Client, sessionId: SessionId, status: string) =>
  expect.poll(async () => (await client.getSession(sessionId)).session.status).toBe(status)

describe('a session over the API', () => {
  it('starts with a message, answers, takes another, and closes', async () => {
    const client = await open()
    const { sessionId, appliedSeq } = await client.createSession({ agent: 'hello', message: 'hi', tags: ['first'] })
    expect(appliedSeq).toBeGreaterThan(0)
    await reaches(client, sessionId, 'idle')
    const sent = await client.sendMessage(sessionId, { content: 'again' })
    expect(sent.messageId).toMatch(/^umsg_/)
    const endedTurns = async () =>
      (await client.readEvents(sessionId)).events.filter((event) => event.type === 'TurnEnded')
    await expect.poll(endedTurns).toHaveLength(2)
    await reaches(client, sessionId, 'idle')
    await client.close(sessionId)
    expect((await client.getSession(sessionId)).session.status).toBe('completed')
    await expect(client.sendMessage(sessionId, { content: 'too late' })).rejects.toMatchObject({
      code: 'session.closed',
    })
  })

  it('accepts images with a message, larger than other bodies, and returns them in the log', async () => {
    const client = await open()
    const image = {
      mediaType: 'image/png' as const,
      data: `${btoa('\u0089PNG\r\n\u001a\n 123')}${'A'.repeat(3_000_000)}`,
    }
    const { sessionId } = await client.createSession({ agent: 'hello', message: 'look', images: [image] })
    await reaches(client, sessionId, 'idle')
    await client.sendMessage(sessionId, { content: 'and these', images: [image, image] })
    await reaches(client, sessionId, 'idle')
    const { events } = await client.readEvents(sessionId)
    const counts = events.flatMap((event) => (event.type === 'UserMessageQueued' ? [event.data.images?.length] : []))
    expect(counts).toEqual([1, 2])
    const much = { ...image, data: `${image.data}${'A'.repeat(5_000_000)}` }
    await expect(client.sendMessage(sessionId, { content: 'x', images: [much] })).rejects.toMatchObject({
      code: 'request.invalid',
    })
    const tooMuch = Array.from({ length: 10 }, () => image)
    await expect(client.sendMessage(sessionId, { content: 'x', images: tooMuch })).rejects.toMatchObject({
      code: 'request.too-large',
    })
  })

  it('returns its log in pages without a gap', async () => {
    const client = await open()
    const { sessionId } = await client.createSession({ agent: 'hello', message: 'hi' })
    await reaches(client, sessionId, 'idle')
    const seqs: number[] = []
    for (let after = 0; ; ) {
      const page = await client.readEvents(sessionId, { after: String(after), limit: 2 })
      seqs.push(...page.events.map((event) => event.seq))
      after = page.lastSeq
      if (!page.hasMore) break
    }
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect(seqs.length).toBeGreaterThan(4)
  })

  it('is listed newest first, by filter and page', async () => {
    const client = await open()
    const made: SessionId[] = []
    for (const tag of ['a', 'b', 'a'])
      made.push((await client.createSession({ agent: 'hello', tags: [tag] })).sessionId)
    const first = await client.listSessions({ limit: 2 })
    expect(first.sessions).toHaveLength(2)
    const rest = await client.listSessions({ limit: 2, cursor: first.nextCursor ?? '' })
    const ids = [...first.sessions, ...rest.sessions].map((session) => session.sessionId)
    expect(ids).toEqual(made.toReversed())
    expect((await client.listSessions({ tag: 'a' })).sessions).toHaveLength(2)
    expect((await client.listSessions({ status: 'running' })).sessions).toEqual([])
  })

  it('waits for a decision, which may change the input; the first decision wins', async () => {
    const client = await open([
      [{ type: 'tool', name: 'Bash', input: { command: 'ls' }, result: (input) => JSON.stringify(input) }],
    ])
    const { sessionId } = await client.createSession({ agent: 'hello', message: 'list' })
    await reaches(client, sessionId, 'waiting_approval')
    const { approvals } = await client.listApprovals({ session: sessionId })
    const approvalId = approvals[0]?.approvalId
    if (approvalId === undefined) throw new Error('no approval is open')
    await client.decideApproval(approvalId, { decision: 'allow', input: { command: 'ls -a' } })
    await reaches(client, sessionId, 'idle')
    const { events } = await client.readEvents(sessionId)
    expect(events.find((event) => event.type === 'ToolExecuted')?.data.output).toBe('{"command":"ls -a"}')
    expect(events.find((event) => event.type === 'ApprovalDecided')?.data.by).toBe('operator')
    await expect(client.decideApproval(approvalId, { decision: 'deny' })).rejects.toMatchObject({
      code: 'approval.already-decided',
    })
  })

  it('moves a queued message to the front, or into the running turn', async () => {
    const client = await open()
    const { sessionId } = await client.createSession({ agent: 'hello' })
    await client.pause(sessionId)
    for (const content of ['one', 'two', 'three']) await client.sendMessage(sessionId, { content })
    const waiting = async () => (await client.listMessages(sessionId)).messages
    const [, two, three] = await waiting()
    if (two === undefined || three === undefined) throw new Error('three messages were sent')
    await client.promoteMessage(sessionId, three.messageId, { delivery: 'immediate' })
    const path = `/v1/sessions/${sessionId}/messages/${two.messageId}/promote`
    expect((await testApp.call(path, { method: 'POST' })).status).toBe(200)
    expect(await waiting()).toMatchObject([
      { content: 'two', delivery: 'queued' },
      { content: 'three', delivery: 'immediate' },
      { content: 'one', delivery: 'queued' },
    ])
    expect((await testApp.call(path, { method: 'POST', body: { delivery: 'queued' } })).status).toBe(400)
  })

  it('can be interrupted and cancelled', async () => {
    const client = await open([[{ type: 'stall', chunks: ['one ', 'moment'] }], [{ type: 'stall', chunks: ['again'] }]])
    const { sessionId } = await client.createSession({ agent: 'hello', message: 'go' })
    await reaches(client, sessionId, 'running')
    await client.interrupt(sessionId)
    await reaches(client, sessionId, 'interrupted')
    await client.sendMessage(sessionId, { content: 'go on' })
    await reaches(client, sessionId, 'running')
    await client.cancel(sessionId)
    await reaches(client, sessionId, 'cancelled')
  })
})

describe('the server info', () => {
  it('lists the models that sessions of one agent may use', async () => {
    const client = await open()
    const [hello] = (await client.listAgents()).agents
    const folder = join(dirname(dirname(hello?.file ?? '')), 'talker')
    await mkdir(folder)
    const model = 'model: { provider: openai, name: gpt-5.2 }\nmodel_source: simulator'
    await writeFile(join(folder, 'agent.yaml'), `name: talker\n${model}\ninstructions: { inline: Be brief. }\n`)
    const ids = async (agent?: string) =>
      (await client.listModels(agent === undefined ? {} : { agent })).models.map(({ id }) => id)
    expect(await ids()).toEqual(['auto', ...modelCatalog.map(({ id }) => id), 'gpt-5.2'])
    expect(await ids('hello')).toEqual(['auto', ...modelCatalog.map(({ id }) => id)])
    expect(await ids('talker')).toEqual(['gpt-5.2'])
    await expect(ids('nobody')).rejects.toMatchObject({ code: 'agent.not-found' })
  })

  it('lists agents, models and the caller', async () => {
    const client = await open()
    expect((await client.listAgents()).agents).toMatchObject([
      { name: 'hello', modelSource: 'simulator', problems: [] },
    ])
    expect((await client.listModels()).models.find((model) => model.tier === 'pro')?.multiplier).toBe(5)
    const info = await client.serverInfo()
    expect(info).toEqual({
      version: readVersion(),
      usesSimulator: true,
      principal: 'operator',
      dataFolder: testApp.dataDir,
      compatListeners: [],
    })
  })
})

describe('a change with an idempotency key', () => {
  const create = (key: string, body: object = { agent: 'hello' }) =>
    testApp.call('/v1/sessions', { method: 'POST', body, headers: { 'idempotency-key': key } })
  const countSessions = async () =>
    ((await (await testApp.call('/v1/sessions')).json()) as { sessions: unknown[] }).sessions.length

  it('is made once and answered the same again, marked as a replay', async () => {
    await open()
    const first = await create('k1')
    const again = await create('k1')
    expect([first.status, again.status]).toEqual([201, 201])
    expect(await again.json()).toEqual(await first.json())
    expect(first.headers.get('idempotent-replay')).toBeNull()
    expect(again.headers.get('idempotent-replay')).toBe('true')
    expect(await countSessions()).toBe(1)
  })

  it('is made once when sent many times concurrently', async () => {
    await open()
    const replies = await Promise.all(Array.from({ length: 10 }, () => create('k2')))
    const ids = await Promise.all(replies.map(async (reply) => ((await reply.json()) as Applied).sessionId))
    expect(new Set(ids).size).toBe(1)
    expect(await countSessions()).toBe(1)
  })

  it('is refused with another body or address', async () => {
    await open()
    const { sessionId } = (await (await create('k3')).json()) as Applied
    const other = await create('k3', { agent: 'hello', title: 'other' })
    expect(other.status).toBe(422)
    expect(await other.json()).toMatchObject({ code: 'request.idempotency-mismatch' })
    const elsewhere = await testApp.call(`/v1/sessions/${sessionId}/close`, {
      method: 'POST',
      headers: { 'idempotency-key': 'k3' },
    })
    expect(elsewhere.status).toBe(422)
  })

  it('may be tried again after a refusal', async () => {
    await open()
    expect((await create('k4', { agent: 'nobody' })).status).toBe(404)
    expect((await create('k4')).status).toBe(201)
  })
})

it('detaches an unknown and a malformed client id without effect, for the session of the caller', async () => {
  const client = await open()
  const { sessionId, appliedSeq } = await client.createSession({ agent: 'hello' })
  for (const clientId of ['nobody', 'no body', 'x'.repeat(101)]) {
    expect(await client.detachClient(sessionId, clientId)).toEqual({ sessionId, appliedSeq })
    await expect(client.detachClient('ses_nobody00', clientId)).rejects.toMatchObject({ code: 'session.not-found' })
  }
})

describe('a stopping server', () => {
  it.each([
    ['/v1/sessions', { agent: 'hello' }],
    ['/api/analyze', { question: 'How many?', tables: [{ name: 'sales', rowCount: 1, columns: [] }] }],
    ['/api/generate-sql', { question: 'How many?', tables: [{ name: 'sales', rowCount: 1, columns: [] }] }],
  ])('returns the stored reply to a repeated POST %s, and refuses a new one', async (path, body) => {
    await open([[{ type: 'text', chunks: ['FROM sales'] }]])
    const post = (key: string) => testApp.call(path, { method: 'POST', body, headers: { 'idempotency-key': key } })
    const first = await post('k1')
    expect(first.ok).toBe(true)
    testApp.state.isDraining = true
    const again = await post('k1')
    expect(again.headers.get('idempotent-replay')).toBe('true')
    expect([again.status, await again.json()]).toEqual([first.status, await first.json()])
    const refused = await post('k2')
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'server.draining' }])
  })

  it('refuses new work and is not ready, but still answers and accepts decisions', async () => {
    const tool = { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'done' } as const
    const client = await open([[tool]])
    const { sessionId } = await client.createSession({ agent: 'hello', message: 'list' })
    await reaches(client, sessionId, 'waiting_approval')
    testApp.state.isDraining = true
    const ready = await testApp.request('/ready')
    expect(ready.status).toBe(503)
    expect(ready.headers.get('retry-after')).toBe('5')
    expect(await ready.json()).toMatchObject({ code: 'server.draining' })
    await expect(client.createSession({ agent: 'hello' })).rejects.toMatchObject({ code: 'server.draining' })
    await expect(client.sendMessage(sessionId, { content: 'x' })).rejects.toMatchObject({ code: 'server.draining' })
    const starting = Object.values<Operation>(operations).filter(({ startsWork }) => startsWork === true)
    expect(starting).toHaveLength(5)
    for (const { method, path } of starting) {
      const response = await testApp.call(path.replace(/\{\w+\}/g, sessionId), {
        method: method.toUpperCase(),
        body: {},
      })
      expect([path, ((await response.json()) as { code: string }).code]).toEqual([path, 'server.draining'])
    }
    expect((await testApp.request('/health')).status).toBe(200)
    for (const { approvalId } of (await client.listApprovals()).approvals) {
      await client.decideApproval(approvalId, { decision: 'allow' })
    }
    await reaches(client, sessionId, 'idle')
  })
})
