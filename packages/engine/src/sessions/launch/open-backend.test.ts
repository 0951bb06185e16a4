import type { SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend } from '../../backends/backend.ts'
import { noHostTools } from '../../backends/contract/unattended-options.contract.ts'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import { createCountingBackend } from '../../processes/counting-backend.fixture.ts'
import type { TestRuntime } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

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
  (await runtime.coordinator.open(sessionId)).clientToolChanges.changed()

it('reports nothing more of the session to a spare that could not be taken', async () => {
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
