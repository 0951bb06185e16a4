import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { GatewayDecisions } from '@quarterdeck/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { createScriptedBackend } from './backends/scripted/create-scripted-backend.ts'
import { createEngine } from './create-engine.ts'
import type { Engine } from './engine-options.ts'
import { silentLogger } from './ports/logger.ts'
import { created, sessionId as nameOf } from './store/ports/contract/store-harness.contract.ts'
import { createSqlStore } from './store/sql/create-sql-store.ts'
import { openCallKey } from './store/sql/database/open-call-key.ts'
import { openDatabase } from './store/sql/open-database.ts'
import { dataFolders } from './system/data-folders.ts'
import { randomIds } from './system/random-ids.ts'
import { testAgent } from './testing/agent-definition.fixture.ts'
import { noModels, testEngineOptions } from './testing/engine-options.fixture.ts'
import { openTestStore } from './testing/test-store.fixture.ts'

const patient = { timeout: 60_000 }
const callKey = Buffer.alloc(32)

async function newFolder(): Promise<string> {
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-assembly-')))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

it('closes everything and frees the data folder when it fails to start', async () => {
  const dataDir = await newFolder()
  const agent = testAgent(await newFolder())
  const closed: string[] = []
  const options = {
    ...testEngineOptions(dataDir, async () => agent),
    connectModels: () => ({ ...noModels, close: async () => void closed.push('gateway') }),
  }
  const broken = {
    ...options,
    // Read after everything is ready except the sessions of an earlier server.
    get budgets(): never {
      throw new Error('the budgets cannot be read')
    },
  }
  await expect(createEngine(broken)).rejects.toThrow('the budgets cannot be read')
  expect(closed).toEqual(['gateway'])
  const engine = await createEngine(options)
  await engine.close()
  expect(closed).toEqual(['gateway', 'gateway'])
})

it("names the variable of the agent's key when the gateway reports that the key is refused", async () => {
  const dataDir = await newFolder()
  const { model, ...rest } = testAgent(await newFolder())
  const agent = { ...rest, model: { ...model, authProvider: 'oauth_token' as const } }
  let refuse: GatewayDecisions['onKeyRefused'] = () => undefined
  const engine = await createEngine({
    ...testEngineOptions(dataDir, async () => agent),
    createBackend: () => createScriptedBackend({ script: () => [{ type: 'stall', chunks: ['hm'] }] }),
    connectModels({ onKeyRefused }) {
      refuse = onKeyRefused
      return noModels
    },
  })
  onTestFinished(engine.close)
  const { sessionId } = await engine.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  const session = async () => (await engine.sessions.getSession(sessionId)).session
  await expect.poll(async () => (await session()).status, patient).toBe('running')
  refuse({ sessionId, status: 401 })
  await expect.poll(async () => (await session()).status, patient).toBe('failed')
  const { events } = await engine.sessions.readEvents(sessionId, { limit: 1000 })
  const ended = events.find((event) => event.type === 'TurnEnded')
  expect(ended?.data.result.errorReason).toBe('the provider refused the key (401): check CLAUDE_CODE_OAUTH_TOKEN')
})

it('starts although notes of begun answers are unreadable, names their sessions, and books the others', async () => {
  const dataDir = await newFolder()
  const { database, databaseFolder, callKey } = dataFolders(dataDir)
  const [odd, torn, whole] = [nameOf(1), nameOf(2), nameOf(3)]
  const tokens = { input: 5, output: 1, cacheRead: 0, cacheWrite: 0 }
  const models = { requestedModel: 'claude-sonnet-4-6', servedModel: 'claude-sonnet-4-6' }
  await mkdir(databaseFolder, { recursive: true })
  await openCallKey(callKey, { isInUse: async () => false })
  const store = await createSqlStore({ file: database, clock: { now: () => new Date() }, ids: randomIds })
  for (const sessionId of [odd, torn, whole]) await store.append(sessionId, 0, [created()])
  await store.noteBegun({ sessionId: whole, requestId: 'req_3', apiMessageId: 'm3', ...models, tokens })
  await store.close()
  const db = await openDatabase(database)
  const note = { sessionId: odd, requestId: 'req_1', apiMessageId: 'm1', ...models }
  const rows = [
    { session_id: odd, api_message_id: 'm1', answer: JSON.stringify({ ...note, tokens: { ...tokens, input: 'abc' } }) },
    { session_id: torn, api_message_id: 'm2', answer: '{"sessionId":' },
  ]
  await db.insertInto('begun_answers').values(rows).execute()
  await db.destroy()
  const warned: unknown[] = []
  const agent = testAgent(await newFolder())
  const engine = await createEngine({
    ...testEngineOptions(dataDir, async () => agent),
    logger: { ...silentLogger, warn: (facts) => void warned.push(facts.sessionId) },
  })
  const booked = await engine.sessions.readEvents(whole, { limit: 100 })
  expect(booked.events.find(({ type }) => type === 'UsageRecorded')?.data).toMatchObject({ apiMessageId: 'm3' })
  expect(warned).toEqual(expect.arrayContaining([odd, torn]))
  await engine.close()
  const after = await createSqlStore({ file: database, clock: { now: () => new Date() }, ids: randomIds })
  const unreadable: unknown[] = []
  expect(await after.begunAnswers((left) => unreadable.push(left))).toEqual([])
  expect(unreadable).toEqual([])
  await after.close()
})

it('refuses a data folder whose call key is missing and in use, and records an accepted replacement', async () => {
  const dataDir = await newFolder()
  const { database, databaseFolder, callKey } = dataFolders(dataDir)
  await mkdir(databaseFolder, { recursive: true })
  const parts = { file: database, clock: { now: () => new Date() }, ids: randomIds }
  const agent = testAgent(await newFolder())
  const options = testEngineOptions(dataDir, async () => agent)
  await (await createEngine(options)).close()
  await rm(callKey)
  // There are no sessions yet, so nothing is lost.
  await (await createEngine(options)).close()
  const made = await readFile(callKey)
  const store = await createSqlStore(parts)
  await store.append(nameOf(1), 0, [created()])
  await store.close()
  await rm(callKey)
  await expect(createEngine(options)).rejects.toMatchObject({ code: 'store.corrupt' })
  await expect(createEngine(options)).rejects.toThrow(/call-key is missing.*quarterdeck serve --accept-loss/)
  const engine = await createEngine({ ...options, acceptLoss: true })
  const entries = (await engine.sessions.readAudit({ after: 0, limit: 1000 })).entries
  expect(entries.filter(({ action }) => action === 'loss.accepted')).toMatchObject([
    { principal: 'operator', detail: { what: expect.stringContaining(callKey) } },
  ])
  await engine.close()
  expect(await readFile(callKey)).not.toEqual(made)
})

/** Collects the event types that a webhook receives. */
async function openReceiver() {
  const received: unknown[] = []
  const receiver = createServer(async (request, response) => {
    received.push(((await json(request)) as { readonly type: string }).type)
    response.writeHead(204).end()
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void receiver.close())
  const { port } = receiver.address() as AddressInfo // a listening server has a port
  const events = ['AgentSessionCreated', 'AgentSessionRecovered'] as const
  return { received, webhooks: [{ id: 'ops', url: `http://127.0.0.1:${port}`, secret: 's', events }] }
}

it('delivers webhooks only after it has recovered the sessions, with the events of the recovery', async () => {
  const { received, webhooks } = await openReceiver()
  const store = await openTestStore()
  const agent = testAgent(await newFolder())
  const options = { ...testEngineOptions(await newFolder(), async () => agent), store, callKey, webhooks }
  store.setWebhooks(webhooks)
  const dead = await createEngine({
    ...options,
    role: 'command',
    createBackend: () => createScriptedBackend({ script: () => [{ type: 'stall', chunks: ['hm'] }] }),
  })
  onTestFinished(() => dead.close().catch(() => undefined)) // the second engine has taken its session
  const { sessionId } = await dead.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  await expect.poll(() => store.openTexts(sessionId), patient).toHaveLength(1)
  let deliveriesAtRecovery: readonly unknown[] | null = null
  const agents = {
    ...options.agents,
    // Called before the recovery. Longer than the interval at which a worker looks for deliveries.
    async list() {
      await new Promise((resolve) => setTimeout(resolve, 800))
      deliveriesAtRecovery = [...received]
      return []
    },
  }
  const engine = await createEngine({ ...options, agents, isAlive: () => false })
  onTestFinished(engine.close)
  expect(deliveriesAtRecovery).toEqual([])
  await expect.poll(() => received.toSorted(), patient).toEqual(['AgentSessionCreated', 'AgentSessionRecovered'])
})

it('ignores webhooks as a command', async () => {
  const { received, webhooks } = await openReceiver()
  const store = await openTestStore()
  const agent = testAgent(await newFolder())
  const options = testEngineOptions(await newFolder(), async () => agent)
  const engine = await createEngine({ ...options, store, callKey, webhooks, role: 'command' })
  onTestFinished(engine.close)
  await engine.sessions.createSession({ agent: 'tester' }, 'ana')
  expect(await store.dueDeliveries('ops', new Date().toISOString(), 10)).toEqual([])
  expect(received).toEqual([])
})

it('follows the log of all sessions from a position, across restarts, and ends when the engine closes', async () => {
  const dataDir = await newFolder()
  const agent = testAgent(await newFolder())
  const open = () => createEngine(testEngineOptions(dataDir, async () => agent))
  const seen: string[] = []
  let cursor = 0
  const follow = async (engine: Engine) => {
    for await (const { events, next } of engine.followAll({ after: cursor, signal: new AbortController().signal })) {
      seen.push(...events.map(({ stream, event }) => `${stream.id} ${event.seq}`))
      cursor = next
    }
  }
  const talk = async (engine: Engine) => {
    const sessionIds = ['ada', 'ben'].map(async (by) => {
      const { sessionId } = await engine.sessions.createSession({ agent: 'tester', message: 'hello' }, by)
      return sessionId
    })
    for (const sessionId of await Promise.all(sessionIds)) {
      const statusNow = async () => (await engine.sessions.getSession(sessionId)).session.status
      await expect.poll(statusNow, patient).toBe('idle')
    }
  }
  for (const _ of ['first', 'second']) {
    const engine = await open()
    const following = follow(engine)
    await talk(engine)
    await expect.poll(() => cursor, patient).toBe(await engine.lastPosition())
    await engine.close()
    await following
  }
  const store = await createSqlStore({
    file: dataFolders(dataDir).database,
    clock: { now: () => new Date() },
    ids: randomIds,
  })
  const { events } = await store.readAll({ after: 0, limit: 10_000 })
  const whole = events.map(({ stream, event }) => `${stream.id} ${event.seq}`)
  // Closing the engine may add events that no reader waits for.
  expect(whole.slice(0, seen.length)).toEqual(seen)
  expect(new Set(seen.map((line) => line.split(' ')[0])).size).toBe(4)
  await store.close()
})
