import { describe, expect, it } from 'vitest'
import type { AgentSession } from '../../backends/backend.ts'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Step } from '../../backends/scripted/script.ts'
import {
  answersOf,
  eventsOf,
  refusedWith,
  rests,
  runtimeOf,
  stall,
  stateOf,
  textStep,
  workingRuntime,
} from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

describe('queued messages', () => {
  it('are listed, edited, cancelled and moved to the front', async () => {
    const { runtime, sessionId } = await workingRuntime([[stall], [], [], []])
    const { sessions } = runtime
    const two = await sessions.sendMessage(sessionId, { content: 'two' }, 'ana')
    const three = await sessions.sendMessage(sessionId, { content: 'three' }, 'ana')
    const four = await sessions.sendMessage(sessionId, { content: 'four' }, 'ana')
    await sessions.editMessage(sessionId, three.messageId, { content: 'third' }, 'ben')
    await sessions.cancelMessage(sessionId, two.messageId, 'ben')
    await sessions.promoteMessage(sessionId, four.messageId, {}, 'ben')
    expect((await sessions.listMessages(sessionId)).messages.map(({ content }) => content)).toEqual(['four', 'third'])
    await sessions.interrupt(sessionId, 'ana')
    await rests(runtime, sessionId, 'idle')
    const delivered = await eventsOf(runtime, sessionId, 'UserMessageDelivered')
    expect(delivered.map(({ data }) => data.messageId).slice(1)).toEqual([four.messageId, three.messageId])
    expect((await sessions.history(sessionId)).messages.map(({ content }) => content)).toContain('third')
  })

  it.each(['close', 'cancel'] as const)('are cancelled when the session ends (%s)', async (how) => {
    const runtime = await runtimeOf([])
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    await runtime.sessions.pause(sessionId, 'ana')
    const { messageId } = await runtime.sessions.sendMessage(sessionId, { content: 'never mind' }, 'ana')
    await runtime.sessions[how](sessionId, 'ben')
    const cancelled = await eventsOf(runtime, sessionId, 'UserMessageCancelled')
    expect(cancelled.map(({ data }) => data)).toEqual([{ messageId, by: 'ben' }])
    expect((await stateOf(runtime, sessionId)).queued).toEqual([])
  })

  it('are cancelled when the turn before them is cancelled', async () => {
    const { runtime, sessionId } = await workingRuntime()
    await runtime.sessions.sendMessage(sessionId, { content: 'never mind' }, 'ana')
    await runtime.sessions.cancel(sessionId, 'ben')
    await rests(runtime, sessionId, 'cancelled')
    expect(await eventsOf(runtime, sessionId, 'UserMessageCancelled')).toHaveLength(1)
    expect((await stateOf(runtime, sessionId)).queued).toEqual([])
  })

  it('of an unknown session are refused', async () => {
    const runtime = await runtimeOf([])
    await refusedWith(runtime.sessions.listMessages('ses_nothere' as never), 'session.not-found')
  })
})

describe('a message for the running turn', () => {
  it('reaches the agent in that turn, and the log records it', async () => {
    const script = (input: string): readonly Step[] =>
      input === 'one' ? [textStep('working'), { type: 'delay', ms: 300 }] : [textStep('received')]
    const runtime = await runtimeOf(script)
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one' }, 'ana')
    await expect.poll(() => answersOf(runtime, sessionId)).toEqual(['working'])
    await runtime.sessions.sendMessage(sessionId, { content: 'also this', delivery: 'immediate' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    const turns = await eventsOf(runtime, sessionId, 'TurnStarted')
    const delivered = await eventsOf(runtime, sessionId, 'UserMessageDelivered')
    expect(turns).toHaveLength(1)
    expect(delivered.map((event) => event.turnId)).toEqual([turns[0]?.turnId, turns[0]?.turnId])
    expect(await answersOf(runtime, sessionId)).toContain('received')
  })

  it('waits for the next turn when the backend does not take it', async () => {
    const backend = createScriptedBackend({ script: [[stall]] })
    const deaf = {
      ...backend,
      createSession: async (options: Parameters<typeof backend.createSession>[0]): Promise<AgentSession> => ({
        ...(await backend.createSession(options)),
        steer: async () => false,
      }),
    }
    const runtime = await openTestRuntime({ backend: deaf })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one' }, 'ana')
    await rests(runtime, sessionId, 'running')
    await runtime.sessions.sendMessage(sessionId, { content: 'two', delivery: 'immediate' }, 'ana')
    expect((await runtime.sessions.listMessages(sessionId)).messages).toMatchObject([
      { content: 'two', delivery: 'immediate' },
    ])
    await runtime.sessions.interrupt(sessionId, 'ana')
    await rests(runtime, sessionId, 'idle')
    expect(await eventsOf(runtime, sessionId, 'TurnStarted')).toHaveLength(2)
    expect((await answersOf(runtime, sessionId)).at(-1)).toBe('You said: two')
  })

  it('is never taken twice, however close to the end of a turn it arrives', async () => {
    const runtime = await runtimeOf(() => [textStep('ok'), { type: 'delay', ms: 3 }])
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'start' }, 'ana')
    for (let number = 0; number < 40; number += 1) {
      await runtime.sessions.sendMessage(sessionId, { content: `m${number}`, delivery: 'immediate' }, 'ana')
    }
    await rests(runtime, sessionId, 'idle')
    const delivered = (await eventsOf(runtime, sessionId, 'UserMessageDelivered')).map(({ data }) => data.messageId)
    expect(delivered).toHaveLength(41)
    expect(new Set(delivered).size).toBe(41)
    expect(await answersOf(runtime, sessionId)).toHaveLength(41)
  })
})

describe('a message to a subagent', () => {
  it("goes to the lead with the subagent's name", async () => {
    const runtime = await runtimeOf([
      [
        {
          type: 'subagent',
          agentType: 'explorer',
          description: 'look',
          steps: [textStep('looked')],
          summary: 'looked',
        },
      ],
    ])
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'delegate' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    const [subagent] = await eventsOf(runtime, sessionId, 'SubagentStarted')
    if (subagent === undefined) throw new Error('no subagent')
    const { agentId } = subagent.data
    const word = { content: 'and then?' }
    await runtime.sessions.messageSubagent(sessionId, agentId, word, 'ana', 'one try')
    await rests(runtime, sessionId, 'idle')
    await runtime.sessions.messageSubagent(sessionId, agentId, word, 'ana', 'one try')
    expect(await eventsOf(runtime, sessionId, 'UserMessageQueued')).toHaveLength(2)
    const reported = (await answersOf(runtime, sessionId)).at(-1)
    expect(reported).toContain(`to "${agentId}"`)
    expect(reported).toContain('and then?')
  })

  it('is refused for a subagent that the session never had', async () => {
    const runtime = await runtimeOf([])
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    const unknown = runtime.sessions.messageSubagent(sessionId, 'a1', { content: 'hello' }, 'ana')
    await refusedWith(unknown, 'subagent.not-found')
  })
})
