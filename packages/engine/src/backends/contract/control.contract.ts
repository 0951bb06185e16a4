// The part of the contract about warming, steering, changing and inspecting a session.
import { Capabilities, UserMessageId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { collect, ended, gateOf, types } from './backend-events.contract.ts'
import { never, type OpenHarness, ready } from './backend-harness.contract.ts'

const messageId = UserMessageId.parse('umsg_contract1')
const another = UserMessageId.parse('umsg_contract2')

export function describeControl(openHarness: OpenHarness): void {
  it('runs a turn on the warmed process and can be warmed twice', async () => {
    const { session } = await ready(openHarness, [{ text: 'hello' }, { text: 'again' }])
    await Promise.all([session.warm(), session.warm()])
    await session.warm()
    expect((await session.send('hi')).response).toBe('hello')
    await session.warm()
    expect((await session.send('hi')).response).toBe('again')
  })

  it('accepts a message while it is being warmed', async () => {
    const { session } = await ready(openHarness, [{ text: 'hello' }])
    const warming = session.warm()
    expect((await session.send('hi')).response).toBe('hello')
    await warming
  })

  it('does not warm a closed session', async () => {
    const { session } = await ready(openHarness, [{ text: 'hello' }])
    await session.close()
    await expect(session.warm()).resolves.toBeUndefined()
    expect(session.load().residentBytes).toBeNull()
  })

  it('adds a message to the running turn, which ends only when it is answered', async () => {
    const taken: boolean[] = []
    const gate = gateOf({
      check: async (call) => {
        taken.push(await session.steer('and another thing', another))
        return { type: 'allow', input: call.toolInput }
      },
    })
    const replies = [{ commands: ['echo one'] }, { text: 'done' }, { text: 'done too' }]
    const { session } = await ready(openHarness, replies, { gate })
    const events = await collect(session.run('hi', never, messageId))
    expect(taken).toEqual([true])
    expect(ended(events).data.outcome).toBe('completed')
    expect(types(events).filter((type) => type === 'TurnEnded')).toHaveLength(1)
  })

  it('refuses to add a message without a running turn', async () => {
    const { session } = await ready(openHarness, [{ text: 'hello' }])
    expect(await session.steer('hi', messageId)).toBe(false)
    await session.send('hi')
    expect(await session.steer('hi', messageId)).toBe(false)
    await session.close()
    expect(await session.steer('hi', messageId)).toBe(false)
  })

  it('refuses to add a message to an interrupted turn', async () => {
    const { session } = await ready(openHarness, [{ text: 'I begin', stalls: true }, { text: 'again' }])
    const taken: boolean[] = []
    for await (const event of session.run('hi', never)) {
      if (event.type !== 'AgentStreamToken' || taken.length > 0) continue
      const interrupting = session.interrupt()
      taken.push(await session.steer('too late', another))
      await interrupting
    }
    expect(taken).toEqual([false])
    expect((await session.send('go on')).response).toBe('again')
  })

  it('remembers a message that was added to a turn that then broke off', async () => {
    // The model receives it as a separate message or together with the next one.
    const replies = [
      { text: 'I begin', stalls: true, whenPrompt: 1 },
      { text: 'heard both', whenText: 'and another thing' },
      { text: 'heard both', whenPrompt: 3 },
    ]
    const { session } = await ready(openHarness, replies)
    const taken: boolean[] = []
    for await (const event of session.run('hi', never, messageId)) {
      if (event.type !== 'AgentStreamToken' || taken.length > 0) continue
      taken.push(await session.steer('and another thing', another))
      await session.interrupt()
    }
    expect(taken).toEqual([true])
    expect((await session.send('go on')).response).toBe('heard both')
  })

  it('answers a message that is delivered a second time', async () => {
    const { session } = await ready(openHarness, [{ text: 'one' }, { text: 'two' }])
    expect(ended(await collect(session.run('hi', never, messageId))).data.result.response).toBe('one')
    expect(ended(await collect(session.run('hi', never, messageId))).data.result.response).toBe('two')
  })

  it('accepts a change of model, mode and thinking between turns', async () => {
    const { session } = await ready(openHarness, [{ text: 'one' }, { text: 'two' }])
    await session.send('hi')
    await session.setThinking({ budgetTokens: 2048 })
    await session.setPermissionMode('plan')
    await session.setThinking(null)
    expect((await session.send('hi')).response).toBe('two')
  })

  it('reports its capabilities until it is closed', async () => {
    const { session } = await ready(openHarness, [{ text: 'hello' }])
    const capabilities = await session.capabilities()
    expect(Capabilities.parse(capabilities)).toEqual(capabilities)
    expect((await session.send('hi')).response).toBe('hello')
    await session.close()
    await expect(session.capabilities()).rejects.toThrow('closed')
  })

  it('counts the turns of its process', async () => {
    const { session } = await ready(openHarness, [{ text: 'one' }, { text: 'two' }])
    expect(session.load().turns).toBe(0)
    await session.send('hi')
    await session.send('hi')
    expect(session.load().turns).toBe(2)
  })
}
