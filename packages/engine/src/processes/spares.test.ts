import { mkdtemp, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentDefinition, SessionId } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLogger } from '../ports/logger.ts'
import type { RunningSession } from '../sessions/state/running-session.ts'
import { ofType, type TestRuntime } from '../sessions/testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../sessions/testing/test-runtime.fixture.ts'
import type { EventStore } from '../store/ports/event-store.ts'
import { randomIds } from '../system/random-ids.ts'
import { claudeSettings, testAgent } from '../testing/agent-definition.fixture.ts'
import { openTestStore } from '../testing/test-store.fixture.ts'
import { createCountingBackend } from './counting-backend.fixture.ts'
import type { SessionWithProcess } from './session-with-process.ts'
import { createSpares, type SpareProcess } from './spares.ts'
import { createStartQueue } from './start-queue.ts'

const patient = { timeout: 60_000 }
const spareCount = async (runtime: TestRuntime) => (await runtime.sessions.queue()).processes.spare

describe('a spare process', () => {
  it('is ready after the first use of an agent, and goes to the next new session', async () => {
    const counting = createCountingBackend([])
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { spares: true } })
    expect(counting.now()).toBe(0)
    const first = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(first.sessionId, 'idle')
    await expect.poll(() => spareCount(runtime), patient).toBe(1)
    const [spare] = counting.warmed
    const second = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    expect(second.sessionId).toBe(spare)
    await runtime.until(second.sessionId, 'idle')
    expect(ofType(await runtime.log(second.sessionId), 'AgentThought')[0]?.data.text).toBe('You said: go')
    await expect.poll(() => spareCount(runtime), patient).toBe(1)
    expect(counting.opened.map(({ sessionId }) => sessionId).slice(0, 2)).toEqual([first.sessionId, second.sessionId])
  })

  it('is not made for an agent of the loop, which has no process', async () => {
    const counting = createCountingBackend([])
    const agent = testAgent('/', { backend: 'loop' })
    const runtime = await openTestRuntime({ backend: counting.backend, agent, processes: { spares: true } })
    expect((await runtime.sessions.warmAgent(agent.name)).isReady).toBe(false)
    expect(counting.opened).toEqual([])
  })

  it('asks the people of the session that took it', async () => {
    const counting = createCountingBackend([
      [{ type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'a.txt' }],
    ])
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { spares: true } })
    expect((await runtime.sessions.warmAgent('tester')).isReady).toBe(true)
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    expect(counting.warmed).toContain(sessionId)
    await runtime.until(sessionId, 'waiting_approval')
    const [open] = (await runtime.sessions.listApprovals({ session: sessionId })).approvals
    if (open === undefined) throw new Error('no approval is open')
    await runtime.sessions.decideApproval(open.approvalId, { decision: 'allow' }, 'ben')
    await runtime.until(sessionId, 'idle')
    expect(ofType(await runtime.log(sessionId), 'ToolExecuted')[0]?.data.output).toBe('a.txt')
  })

  it('lets no tool call through before it is taken', async () => {
    const counting = createCountingBackend([])
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { spares: true } })
    await runtime.sessions.warmAgent('tester')
    const call = { toolName: 'Bash', toolInput: { command: 'ls' }, toolUseId: 't1', agent: null }
    expect(await counting.opened[0]?.gate.check(call)).toMatchObject({ type: 'deny' })
  })

  it('is not taken by a session with other settings', async () => {
    const counting = createCountingBackend([])
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { spares: true } })
    await runtime.sessions.warmAgent('tester')
    await runtime.sessions.createSession({ agent: 'tester', permissionMode: 'plan' }, 'ana')
    await runtime.sessions.createSession({ agent: 'tester', limits: { maxTurns: 1 } }, 'ana')
    await runtime.sessions.createSession({ agent: 'tester', model: 'low' }, 'ana')
    expect(await spareCount(runtime)).toBe(1)
  })

  it.each([
    { permissionMode: 'plan' },
    { thinking: { budgetTokens: 2000 } },
    { limits: { maxTurns: 1 } },
    { model: 'low' },
  ] as const)('is not used when the session changes to %j before its first message', async (change) => {
    const counting = createCountingBackend([])
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { spares: true } })
    await runtime.sessions.warmAgent('tester')
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    expect(counting.warmed).toContain(sessionId)
    await runtime.sessions.changeSession(sessionId, change, 'ana')
    await runtime.sessions.sendMessage(sessionId, { content: 'go' }, 'ana')
    await runtime.until(sessionId, 'idle')
    const { model, permissionMode, thinking, limits } = (await runtime.sessions.getSession(sessionId)).session
    const opened = counting.opened.filter((one) => one.sessionId === sessionId)
    expect(opened.at(-1)).toMatchObject({ model, permissionMode, thinking, limits })
  })

  it('is found again by a retry of the same creation', async () => {
    const counting = createCountingBackend([])
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { spares: true } })
    await runtime.sessions.warmAgent('tester')
    const first = await runtime.sessions.createSession({ agent: 'tester' }, 'ana', 'seed')
    const again = await runtime.sessions.createSession({ agent: 'tester' }, 'ana', 'seed')
    expect(counting.warmed[0]).toBe(first.sessionId)
    expect(again.sessionId).toBe(first.sessionId)
  })

  it('is evicted first when another session needs the slot', async () => {
    const counting = createCountingBackend([])
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { spares: true, maxResident: 1 } })
    await runtime.sessions.warmAgent('tester')
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', model: 'low', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'idle')
    expect(counting.most()).toBe(1)
    expect(ofType(await runtime.log(sessionId), 'TurnEnded')[0]?.data.outcome).toBe('completed')
  })

  it('ends when its session closes before its first message', async () => {
    const counting = createCountingBackend([])
    const runtime = await openTestRuntime({ backend: counting.backend, processes: { spares: true } })
    await runtime.sessions.warmAgent('tester')
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    await runtime.sessions.close(sessionId, 'ana')
    expect(counting.now()).toBe(0)
    expect((await runtime.sessions.queue()).processes.resident).toBe(0)
  })

  it('leaves nothing behind when it cannot be opened', async () => {
    const counting = createCountingBackend([])
    const backend = { ...counting.backend, createSession: () => Promise.reject(new Error('no such program')) }
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-folder-')))
    onTestFinished(() => rm(folder, { recursive: true }))
    const agent = { workspace: { mode: 'copy' }, claude: claudeSettings(folder) } as const
    const runtime = await openTestRuntime({ backend, agent, processes: { spares: true } })
    expect((await runtime.sessions.warmAgent('tester')).isReady).toBe(false)
    expect(await readdir(join(runtime.dataDir, 'spares'))).toEqual([])
    expect(await readdir(join(runtime.dataDir, 'workspaces'))).toEqual([])
    expect((await runtime.sessions.queue()).processes.resident).toBe(0)
  })

  it('is not used when its access to the model has changed', async () => {
    let url = 'http://127.0.0.1:9'
    const counting = createCountingBackend([])
    const runtime = await openTestRuntime({
      backend: counting.backend,
      modelUrl: () => url,
      processes: { spares: true },
    })
    await runtime.sessions.warmAgent('tester')
    url = 'http://127.0.0.1:8'
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'idle')
    const used = counting.opened.filter((options) => options.sessionId === sessionId)
    expect(used.map(({ modelAccess }) => modelAccess)).toMatchObject([
      { baseUrl: 'http://127.0.0.1:9' },
      { baseUrl: 'http://127.0.0.1:8' },
    ])
    expect(ofType(await runtime.log(sessionId), 'TurnEnded')[0]?.data.outcome).toBe('completed')
  })

  it('sees the folder as it is when the session begins, if each session has its own copy', async () => {
    const counting = createCountingBackend([])
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-folder-')))
    onTestFinished(() => rm(folder, { recursive: true }))
    const agent = { workspace: { mode: 'copy' }, claude: claudeSettings(folder) } as const
    const runtime = await openTestRuntime({ backend: counting.backend, agent, processes: { spares: true } })
    await writeFile(join(folder, 'before.txt'), 'old')
    await runtime.sessions.warmAgent('tester')
    await rename(join(folder, 'before.txt'), join(folder, 'after.txt'))
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    const { cwd } = (await runtime.sessions.getSession(sessionId)).session
    expect(counting.opened[0]?.cwd).toBe(cwd)
    expect(await readdir(cwd)).toEqual(['after.txt'])
  })
})

describe('a session that could not be created', () => {
  /** `how` replaces the write of the session's first event. */
  async function storeWith(how: (write: () => Promise<unknown>) => Promise<never>) {
    const store = await openTestStore()
    const broken = { isBroken: true }
    const append: typeof store.append = async (...all) => {
      const write = () => store.append(...all)
      return broken.isBroken && all[2].some(({ type }) => type === 'AgentSessionCreated') ? how(write) : write()
    }
    return { store: { ...store, append }, broken }
  }

  /** Each session has a copy of the folder. `spares` says whether there is a spare process. */
  async function openCopying({ spares, store }: { spares: boolean; store?: EventStore }) {
    const counting = createCountingBackend([])
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-folder-')))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, 'a.txt'), 'a')
    const agent = { workspace: { mode: 'copy' }, claude: claudeSettings(folder) } as const
    const settings = { backend: counting.backend, agent, processes: { spares } }
    const runtime = await openTestRuntime(store === undefined ? settings : { ...settings, store })
    expect((await runtime.sessions.warmAgent('tester')).isReady).toBe(spares)
    return { runtime, counting, folder, copies: () => readdir(join(runtime.dataDir, 'workspaces')) }
  }

  it.each([true, false])('leaves no process and no copy of the folder behind (spares: %s)', async (spares) => {
    const { store } = await storeWith(() => Promise.reject(new Error('the disk is full')))
    const { runtime, counting, copies } = await openCopying({ spares, store })
    await expect(runtime.sessions.createSession({ agent: 'tester' }, 'ana')).rejects.toThrow('the disk is full')
    expect(counting.now()).toBe(0)
    expect((await runtime.sessions.queue()).processes.resident).toBe(0)
    expect(await copies()).toEqual([])
  })

  it('leaves no process behind when its folder is gone', async () => {
    const { runtime, counting, folder, copies } = await openCopying({ spares: true })
    await rm(folder, { recursive: true })
    await expect(runtime.sessions.createSession({ agent: 'tester' }, 'ana')).rejects.toMatchObject({
      code: 'config.unreadable',
    })
    expect(counting.now()).toBe(0)
    expect((await runtime.sessions.queue()).processes.resident).toBe(0)
    expect(await copies()).toEqual([])
  })

  it('keeps its copy if it is in the log after all, and the next attempt finds it', async () => {
    const { store, broken } = await storeWith(async (write) => {
      await write()
      throw new Error('connection lost')
    })
    const { runtime, counting, copies } = await openCopying({ spares: true, store })
    const create = () => runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana', 'seed')
    await expect(create()).rejects.toThrow('connection lost')
    expect(counting.now()).toBe(0)
    const [written] = (await runtime.sessions.listSessions({})).sessions
    if (written === undefined) throw new Error('no session is in the log')
    expect(await runtime.store.holderOf(written.sessionId)).toBeNull()
    broken.isBroken = false
    const { sessionId } = await create()
    expect(sessionId).toBe(written.sessionId)
    expect(await copies()).toEqual([sessionId])
    await runtime.until(sessionId, 'idle')
    expect(await readdir((await runtime.sessions.getSession(sessionId)).session.cwd)).toEqual(['a.txt'])
  })
})

describe('createSpares', () => {
  interface Change extends Partial<Pick<SpareProcess<SessionWithProcess>, 'close' | 'claim'>> {
    hasMemory?: boolean
    hasCapacity?: boolean
    spareIdleMs?: number
  }

  function openSpares(change: Change = {}) {
    let agent = testAgent('/somewhere')
    const made: SessionId[] = []
    const closed: SessionId[] = []
    const left: SessionId[] = []
    const processOf = (sessionId: SessionId): SpareProcess<SessionWithProcess> => ({
      warm: async () => undefined,
      claim: change.claim ?? (async () => undefined),
      bind: () => Promise.reject(new Error('nobody binds here')),
      close: change.close ?? (async () => void closed.push(sessionId)),
    })
    const spares = createSpares({
      settings: { spares: true, maxSpares: 1, spareIdleMs: change.spareIdleMs ?? 60_000 },
      admission: {
        takeFree: () => change.hasCapacity ?? true,
        beginLeaving: () => true,
        leaveProcess: (id) => void left.push(id),
      },
      starts: createStartQueue(1),
      loadAgent: async () => agent,
      newSessionId: () => randomIds.next('ses'),
      hasMemory: () => change.hasMemory ?? true,
      openSpare: async (_, sessionId) => {
        made.push(sessionId)
        return processOf(sessionId)
      },
      logger: silentLogger,
    })
    const edit = () => {
      agent = testAgent('/somewhere')
    }
    const sessionOf = (sessionId: SessionId | undefined) =>
      ({ writer: { sessionId, state: () => settingsOf(agent) } }) as unknown as RunningSession
    return { spares, made, closed, left, edit, sessionOf, current: () => agent }
  }

  const settingsOf = ({ model, limits, claude: { permissionMode, thinking } }: AgentDefinition) => ({
    model: model.id,
    permissionMode,
    thinking,
    limits,
  })

  it('makes no spare while memory or capacity is short', async () => {
    expect(await openSpares({ hasMemory: false }).spares.ensure('tester')).toBe(false)
    expect(await openSpares({ hasCapacity: false }).spares.ensure('tester')).toBe(false)
  })

  it('ends a spare that cannot be bound, and the session continues without it', async () => {
    const { spares, closed, made, sessionOf } = openSpares()
    await spares.ensure('tester')
    const [sessionId] = made
    expect(await spares.take(sessionOf(sessionId))).toBeNull()
    expect(closed).toEqual([sessionId])
  })

  it('lets the session continue when the spare does not end', async () => {
    const { spares, made, sessionOf } = openSpares({ close: () => Promise.reject(new Error('it does not listen')) })
    await spares.ensure('tester')
    expect(await spares.take(sessionOf(made[0]))).toBeNull()
  })

  it('ends a spare that cannot be claimed, and the session continues without it', async () => {
    const { spares, closed, made, left, current } = openSpares({ claim: () => Promise.reject(new Error('not empty')) })
    await spares.ensure('tester')
    const agent = current()
    expect(await spares.claim({ agent, ...settingsOf(agent) })).toBeNull()
    expect(closed).toEqual(made)
    expect(left).toEqual(made)
  })

  it('makes one spare, however many callers ask', async () => {
    const { spares } = openSpares()
    expect(await Promise.all([spares.ensure('tester'), spares.ensure('tester')])).toEqual([true, true])
    expect(spares.count()).toBe(1)
  })

  it('ends a spare when the agent file changes, and when it stays unclaimed for long', async () => {
    const changed = openSpares()
    await changed.spares.ensure('tester')
    await changed.spares.sweep()
    expect(changed.spares.count()).toBe(1)
    changed.edit()
    await changed.spares.sweep()
    expect(changed.closed).toHaveLength(1)
    expect(changed.left).toEqual(changed.closed)
    const old = openSpares({ spareIdleMs: 0 })
    await old.spares.ensure('tester')
    await old.spares.sweep()
    expect(old.spares.count()).toBe(0)
  })
})
