import { type AgentDefinition, modelCatalog, neverAborted, type SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend } from '../../backends/backend.ts'
import { createBackendPool } from '../../backends/backend-pool.ts'
import { noHostTools, unattendedOptions } from '../../backends/contract/unattended-options.contract.ts'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import { allSessionTools } from '../../permissions/tools/session-tools.ts'
import { silentLogger } from '../../ports/logger.ts'
import { createCountingBackend } from '../../processes/counting-backend.fixture.ts'
import { testAgent } from '../../testing/agent-definition.fixture.ts'
import type { TestRuntime } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'
import { type BackendOpening, openProcess } from './open-backend.ts'

const failing: AgentBackend = {
  ...createScriptedBackend({ script: [] }),
  createSession: () => Promise.reject(new Error('no such program')),
}

it('closes the model access of a session whose process cannot be opened for a turn', async () => {
  const runtime = await openTestRuntime({ backend: failing })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  await runtime.until(sessionId, 'failed')
  expect(runtime.closed).toEqual([sessionId])
})

it('closes the model access of a session whose process cannot be lent', async () => {
  const runtime = await openTestRuntime({ backend: failing })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
  await expect(runtime.sessions.capabilities(sessionId)).rejects.toThrow('no such program')
  expect(runtime.closed).toEqual([sessionId])
})

/** A claimed spare whose model access cannot be found when its session takes it. */
async function failToTake(backend: AgentBackend) {
  let isBroken = false
  const modelUrl = () => {
    if (isBroken) {
      isBroken = false
      throw new Error('the key cannot be read')
    }
    return 'http://127.0.0.1:9'
  }
  const runtime = await openTestRuntime({ backend, modelUrl, processes: { spares: true } })
  await runtime.sessions.warmAgent('tester')
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
  isBroken = true
  const go = async () => {
    await runtime.sessions.sendMessage(sessionId, { content: 'go' }, 'ana')
    await runtime.until(sessionId, 'idle')
  }
  return { runtime, sessionId, go }
}

const changeClientTools = async (runtime: TestRuntime, sessionId: SessionId) =>
  (await runtime.coordinator.open(sessionId)).clientToolChanges.emit()

it('sends no changes of the session to a spare that could not be taken', async () => {
  const counting = createCountingBackend([])
  const { runtime, sessionId, go } = await failToTake(counting.backend)
  const reported: string[] = []
  counting.opened[0]?.clientTools.onChange(() => reported.push('spare'))
  await go()
  counting.opened.at(-1)?.clientTools.onChange(() => reported.push('process'))
  await changeClientTools(runtime, sessionId)
  expect(reported).toEqual(['process'])
})

it('closes the model access of a spare that does not end, and its session continues with another process', async () => {
  const counting = createCountingBackend([])
  let isFirst = true
  const createSession: AgentBackend['createSession'] = async (options) => {
    const session = await counting.backend.createSession(options)
    const close = isFirst ? () => Promise.reject(new Error('it does not listen')) : session.close
    isFirst = false
    return { ...session, close }
  }
  const { runtime, sessionId, go } = await failToTake({ ...counting.backend, createSession })
  await go()
  expect(runtime.closed).toEqual([sessionId])
})

it('starts a process of its own when its spare could not be taken', async () => {
  const counting = createCountingBackend([])
  const { runtime, sessionId } = await failToTake(counting.backend)
  await runtime.sessions.capabilities(sessionId)
  expect(counting.warmed).toEqual([sessionId, sessionId])
})

it('does not start a spare a second time', async () => {
  const counting = createCountingBackend([])
  const runtime = await openTestRuntime({ backend: counting.backend, processes: { spares: true } })
  await runtime.sessions.warmAgent('tester')
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
  await runtime.sessions.capabilities(sessionId)
  expect(counting.warmed).toEqual([sessionId])
})

it('ends a process that fails to apply a setting that changed while it opened', async () => {
  const counting = createCountingBackend([])
  let goOn: () => void = () => undefined
  const isChanged = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const createSession: AgentBackend['createSession'] = async (options) => {
    await isChanged
    const setModel = () => Promise.reject(new Error('it does not listen'))
    return { ...(await counting.backend.createSession(options)), setModel }
  }
  const runtime = await openTestRuntime({ backend: { ...counting.backend, createSession } })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
  const lending = runtime.sessions.capabilities(sessionId)
  const { process } = await runtime.coordinator.open(sessionId)
  await expect.poll(() => process.phase().type).toBe('opening')
  await runtime.sessions.changeSession(sessionId, { model: 'low' }, 'ana')
  goOn()
  await expect(lending).rejects.toThrow('it does not listen')
  expect(counting.most()).toBe(1)
  expect(counting.now()).toBe(0)
  expect(process.phase().type).toBe('none')
  expect((await runtime.sessions.queue()).processes.resident).toBe(0)
})

describe('the toolbox of a session', () => {
  it('is aborted with the turn that waits for it, and opened again for the next', async () => {
    let openings = 0
    const runtime = await openTestRuntime({
      backend: createScriptedBackend({ script: [] }),
      openToolbox: async (_, { signal }) => {
        openings += 1
        if (openings > 1) return { ...noHostTools, close: async () => undefined }
        return await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await expect.poll(() => openings).toBe(1)
    await runtime.sessions.interrupt(sessionId, 'ana')
    await runtime.until(sessionId, 'interrupted')
    const ended = (await runtime.log(sessionId)).find((event) => event.type === 'TurnEnded')
    expect(ended?.data).toMatchObject({ outcome: 'interrupted', result: { errorReason: 'interrupted' } })
    await runtime.sessions.sendMessage(sessionId, { content: 'once more' }, 'ana')
    await runtime.until(sessionId, 'idle')
    expect(openings).toBe(2)
  })

  it('knows the current model of the session', async () => {
    let model = () => ''
    const runtime = await openTestRuntime({
      backend: createScriptedBackend({ script: [] }),
      openToolbox: async (_, opening) => {
        model = opening.model
        return { ...noHostTools, close: async () => undefined }
      },
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'idle')
    const before = model()
    await runtime.sessions.changeSession(sessionId, { model: 'low' }, 'ana')
    expect(before).not.toBe('claude-haiku-4-5')
    expect(model()).toBe('claude-haiku-4-5')
  })
})

describe('openProcess', () => {
  const [before, after] = [testAgent('/project'), testAgent('/project')]

  function openLauncher(change: Partial<AgentBackend> = {}) {
    const ended: string[] = []
    const pool = createBackendPool({
      create: (agent) => ({
        ...createScriptedBackend({ script: [] }),
        teardown: async () => void ended.push(agent === before ? 'backend before' : 'backend after'),
        ...change,
      }),
      logger: silentLogger,
    })
    const opening = {
      agents: { catalog: async () => modelCatalog },
      openToolbox: async () => ({ ...noHostTools, close: async () => void ended.push('toolbox') }),
    } as unknown as BackendOpening // the only fields that are read
    const open = async (agent: AgentDefinition) =>
      openProcess(opening, {
        ...unattendedOptions,
        agent,
        backend: await pool.get(agent),
        sessionId: 'ses_1' as SessionId, // a made-up session
        cwd: '/project',
        modelAccess: { type: 'environment', variables: {} },
        modelSource: 'simulator',
        permissionMode: 'manual',
        limits: agent.limits,
        gate: { check: async () => ({ type: 'ask' }), ask: async () => ({ type: 'deny', message: 'no' }) },
        sessionTools: allSessionTools,
        resume: null,
        chosen: { model: agent.model.id, lastModel: null },
        signal: neverAborted(),
        listen: () => () => void ended.push('listener'),
      })
    return { pool, open, ended }
  }

  it('keeps the backend of a changed file until its last process closes', async () => {
    const { pool, open, ended } = openLauncher()
    const processes = [await open(before), await open(before)]
    await pool.get(after)
    await processes[0]?.session.close()
    await processes[0]?.session.close()
    expect(ended).not.toContain('backend before')
    await processes[1]?.session.close()
    await expect.poll(() => ended).toContain('backend before')
  })

  it('closes the toolbox with the process', async () => {
    const { open, ended } = openLauncher()
    const { session } = await open(before)
    expect(ended).toEqual([])
    await session.close()
    expect(ended).toEqual(['listener', 'toolbox'])
  })

  it('closes the toolbox and releases the backend when the process cannot be opened', async () => {
    const { pool, open, ended } = openLauncher({ createSession: () => Promise.reject(new Error('no folder')) })
    await expect(open(before)).rejects.toThrow('no folder')
    expect(ended).toEqual(['listener', 'toolbox'])
    await pool.get(after)
    await expect.poll(() => ended).toContain('backend before')
  })

  it('reports the model that was set last, unless the process refused it', async () => {
    const { open } = openLauncher()
    const { session, model } = await open(before)
    expect(model()).toBe(before.model.id)
    await session.setModel('claude-haiku-4-5')
    expect(model()).toBe('claude-haiku-4-5')
  })
})
