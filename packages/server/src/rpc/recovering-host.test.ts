import { QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { createLocalHost } from '../app/create-local-host.ts'
import { openRuntime } from '../runtime/open-runtime.ts'
import { runtimeOptions, type Script } from '../runtime/runtime.fixture.ts'
import { createRecoveringHost } from './recovering-host.ts'

const never = new AbortController().signal

/** A host over a real runtime that records which sessions it recovers. */
async function openHost(script: Script, beforeRecovery: () => void = () => undefined) {
  const options = await runtimeOptions(script)
  const runtime = await openRuntime({ ...options, role: 'command', address: null, canAsk: true })
  onTestFinished(runtime.close)
  const asked: SessionId[] = []
  const { sessions, recover } = runtime.engine
  const local = createLocalHost({ runtime, dataDir: options.dataDir, logger: options.logger })
  const host = createRecoveringHost(local, {
    sessions,
    async recover(sessionId) {
      beforeRecovery()
      asked.push(sessionId)
      await recover(sessionId)
    },
  })
  return {
    asked,
    call: (method: Parameters<typeof host.call>[0], params: object) => host.call(method, { ...params }, never),
    async startIn(status: string, message = 'go'): Promise<SessionId> {
      const { sessionId } = await sessions.createSession({ agent: 'hello', message }, 'ana')
      await expect.poll(async () => (await sessions.getSession(sessionId)).session.status).toBe(status)
      return sessionId
    },
  }
}

const stallsAtGo: Script = (input) => (input === 'go' ? [{ type: 'stall', chunks: ['well '] }] : [])

it('recovers a session with unfinished work when it is read, and not an idle one', async () => {
  const host = await openHost(stallsAtGo)
  const sessionId = await host.startIn('running')
  const resting = await host.startIn('idle', 'be quiet')
  await host.call('session.list', {})
  await host.call('session.get', { sessionId: resting })
  expect(host.asked).toEqual([])
  await host.call('session.get', { sessionId })
  expect(host.asked).toEqual([sessionId])
})

it('does not recover a session that this process works on', async () => {
  const host = await openHost(stallsAtGo)
  const sessionId = await host.startIn('running')
  for (let count = 0; count < 3; count += 1) {
    expect(await host.call('session.get', { sessionId })).toMatchObject({ session: { status: 'running' } })
  }
  await host.call('session.message', { sessionId, content: 'more' })
  expect(await host.call('session.get', { sessionId })).toMatchObject({ session: { status: 'running' } })
})

it('reads a session that another process works on', async () => {
  const host = await openHost(stallsAtGo, () => {
    throw new QuarterdeckError('session.held-elsewhere', 'another process holds it')
  })
  const sessionId = await host.startIn('running')
  expect(await host.call('session.get', { sessionId })).toMatchObject({ session: { sessionId } })
})

it('leaves the refusal of an unknown session to the route', async () => {
  const host = await openHost([])
  for (const sessionId of ['nonsense', 'ses_000000000000']) {
    await expect(host.call('session.get', { sessionId })).rejects.toMatchObject({ code: 'session.not-found' })
  }
  await expect(host.call('session.approve', { approvalId: 'apr_000000', decision: 'deny' })).rejects.toMatchObject({
    code: 'approval.not-found',
  })
})
