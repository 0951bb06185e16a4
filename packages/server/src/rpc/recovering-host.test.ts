import { Applied, QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { createLocalHost } from '../create-local-host.ts'
import { houseOptions, type Script } from '../house.fixture.ts'
import { openHouse } from '../open-house.ts'
import { createRecoveringHost } from './recovering-host.ts'

const never = new AbortController().signal

/** A host over a real house. Recovery is only noted: what is under way in this house is nobody's leftover. */
async function openHost(script: Script, recover: (sessionId: SessionId) => void = () => undefined) {
  const options = await houseOptions(script)
  const house = await openHouse({ ...options, role: 'command', address: null, canAsk: true })
  onTestFinished(house.close)
  const recovered: SessionId[] = []
  const local = createLocalHost({ house, dataDir: options.dataDir, logger: options.logger })
  const host = createRecoveringHost(local, {
    sessions: house.engine.sessions,
    async recover(sessionId) {
      recover(sessionId)
      recovered.push(sessionId)
    },
  })
  const { sessions } = house.engine
  return {
    ...{ recovered, sessions },
    call: (method: Parameters<typeof host.call>[0], params: object) => host.call(method, { ...params }, never),
    /** Under way, and not by a call of this host. */
    async leftIn(status: string, message = 'go'): Promise<SessionId> {
      const { sessionId } = await sessions.create({ agent: 'hello', message }, 'ana')
      await expect.poll(async () => (await sessions.snapshot(sessionId)).session.status).toBe(status)
      return sessionId
    },
  }
}

const stalls: Script = [[{ type: 'stall', chunks: ['well '] }]]
const asks: Script = [[{ type: 'tool', name: 'Bash', input: { command: 'ls' }, result: '' }]]

it('recovers a session that was left in the middle, once, when a call names it', async () => {
  const host = await openHost(stalls)
  const sessionId = await host.leftIn('running')
  await host.call('session.list', {})
  expect(host.recovered).toEqual([])
  await Promise.all([host.call('session.get', { sessionId }), host.call('session.history', { sessionId })])
  await host.call('session.message', { sessionId, content: 'more' })
  await host.call('session.interrupt', { sessionId })
  expect(host.recovered).toEqual([sessionId])
})

it('leaves alone what it started itself, and what rests', async () => {
  const host = await openHost((input) => (input === 'go' ? [{ type: 'stall', chunks: ['well '] }] : []))
  const { sessionId } = Applied.parse(await host.call('session.start', { agent: 'hello', message: 'go' }))
  await host.call('session.get', { sessionId })
  const resting = await host.leftIn('idle', 'be quiet')
  await host.call('session.get', { sessionId: resting })
  await host.call('session.message', { sessionId: resting, content: 'go' })
  await expect.poll(async () => (await host.sessions.snapshot(resting)).session.status).toBe('running')
  await host.call('session.get', { sessionId: resting })
  expect(host.recovered).toEqual([])
})

it('knows the session of an approval', async () => {
  const host = await openHost(asks)
  const sessionId = await host.leftIn('waiting_approval')
  const [approval] = (await host.sessions.approvals(sessionId)).approvals
  await host.call('session.approve', { approvalId: approval?.approvalId, decision: 'deny' })
  expect(host.recovered).toEqual([sessionId])
})

it('reads along where another process works, and changes nothing there', async () => {
  const host = await openHost(stalls, () => {
    throw new QuarterdeckError('session.held-elsewhere', 'another process holds it')
  })
  const sessionId = await host.leftIn('running')
  expect(await host.call('session.get', { sessionId })).toMatchObject({ session: { sessionId } })
  await expect(host.call('session.message', { sessionId, content: 'me too' })).rejects.toMatchObject({
    code: 'session.held-elsewhere',
  })
})

it('leaves it to the route to refuse what names no session', async () => {
  const host = await openHost([])
  await expect(host.call('session.get', { sessionId: 'nonsense' })).rejects.toMatchObject({ code: 'session.not-found' })
  await expect(host.call('session.approve', { approvalId: 'apr_000000', decision: 'deny' })).rejects.toMatchObject({
    code: 'approval.not-found',
  })
})
