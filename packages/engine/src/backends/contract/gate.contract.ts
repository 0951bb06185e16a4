// The part of the contract about permission: no call runs unless the gate allows it.
import { expect, it } from 'vitest'
import type { ToolCall } from '../../ports/tool-call.ts'
import type { BackendEvent } from '../backend.ts'
import { collect, durable, ended, find, gateOf, types } from './backend-events.contract.ts'
import { never, type OpenHarness, ready } from './backend-harness.contract.ts'

export function describeGate(openHarness: OpenHarness): void {
  it('asks the gate before every call, with the exact input', async () => {
    const seen: ToolCall[] = []
    const gate = gateOf({
      check: async (call) => {
        seen.push(call)
        return { type: 'allow', input: call.toolInput }
      },
    })
    const { session } = await ready(openHarness, [{ commands: ['echo one', 'echo two'] }, { text: 'done' }], { gate })
    const events = await collect(session.run('hi', never))
    const calls = durable(events).filter((event) => event.type === 'AgentInvokedTool')
    expect(seen.map((call) => call.toolInput.command).sort()).toEqual(['echo one', 'echo two'])
    expect(seen.map((call) => call.toolUseId).sort()).toEqual(calls.map((call) => call.data.toolUseId).sort())
    expect(seen.every((call) => call.agent === null && call.toolName === 'Bash')).toBe(true)
  })

  it('does not run a denied call and tells the model why', async () => {
    const gate = gateOf({ check: async () => ({ type: 'deny', message: 'not on a Sunday' }) })
    const replies = [{ commands: ['echo one'] }, { whenToolResult: 'not on a Sunday', text: 'a pity' }]
    const { session } = await ready(openHarness, replies, { gate })
    const result = await session.send('hi')
    expect(result.toolResults).toEqual([expect.objectContaining({ isError: true })])
    expect(result.toolResults[0]?.result).toContain('not on a Sunday')
    expect(result.response).toBe('a pity')
  })

  it('runs the input that the gate returned, not the one the model sent', async () => {
    const gate = gateOf({ check: async () => ({ type: 'allow', input: { command: 'echo edited' } }) })
    const { session } = await ready(openHarness, [{ commands: ['echo original'] }, { text: 'done' }], { gate })
    expect((await session.send('hi')).toolResults[0]?.result).toBe('edited')
  })

  it('waits for a person when the gate answers ask, and runs an approved call', async () => {
    let answer: (command: string) => void = () => undefined
    const asked = new Promise<ToolCall>((resolve) => {
      const gate = gateOf({
        check: async () => ({ type: 'ask' }),
        ask: (call) => {
          resolve(call)
          return new Promise((decide) => {
            answer = (command) => decide({ type: 'allow', input: { command } })
          })
        },
      })
      opening = ready(openHarness, [{ commands: ['echo original'] }, { text: 'done' }], { gate })
    })
    const { session } = await opening
    const events: BackendEvent[] = []
    const running = (async () => {
      for await (const event of session.run('hi', never)) events.push(event)
    })()
    expect((await asked).toolInput).toEqual({ command: 'echo original' })
    expect(types(events)).not.toContain('ToolExecuted')
    expect(types(events)).not.toContain('TurnEnded')
    answer('echo by hand')
    await running
    expect(find(events, 'ToolExecuted').data).toMatchObject({ output: 'by hand', isError: false })
  })
  let opening: ReturnType<typeof ready>

  it('reports a person’s denial to the model as a failed call', async () => {
    const gate = gateOf({
      check: async () => ({ type: 'ask' }),
      ask: async () => ({ type: 'deny', message: 'better not' }),
    })
    const { session } = await ready(openHarness, [{ commands: ['echo one'] }, { text: 'understood' }], { gate })
    const result = await session.send('hi')
    expect(result.toolResults[0]).toMatchObject({ isError: true, result: expect.stringContaining('better not') })
  })

  it('cancels an open approval when the turn is interrupted', async () => {
    let isAsked: () => void = () => undefined
    const asked = new Promise<void>((resolve) => (isAsked = resolve))
    const gate = gateOf({
      check: async () => ({ type: 'ask' }),
      ask: (_call, signal) => {
        isAsked()
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ type: 'deny', message: 'interrupted' }), { once: true })
        })
      },
    })
    const { session } = await ready(openHarness, [{ commands: ['echo one'] }, { text: 'done' }], { gate })
    const running = collect(session.run('hi', never))
    await asked
    await session.interrupt()
    expect(ended(await running).data.outcome).toBe('interrupted')
  })
}
