import { type AgentTool, draft, errorReasons } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { BackendEvent, SessionOptions } from '../backend.ts'
import { collect, ended, gateOf, types } from '../contract/backend-events.contract.ts'
import { makeTestFolder, never, optionsOf } from '../contract/backend-harness.contract.ts'
import { createScriptedBackend } from '../scripted/create-scripted-backend.ts'
import type { Step } from '../scripted/script.ts'
import { createAgentSession } from './create-agent-session.ts'
import type { TurnDriver } from './turn-driver.ts'
import { emptyTurn, endTurn } from './turn-record.ts'

const client = (name: string, isCritical: boolean): AgentTool => ({
  type: 'client',
  name,
  description: name,
  isCritical,
  parameters: {},
})
const pay = client('pay', true)

const calls = (name: string, isError: boolean): Step => ({
  type: 'tool',
  name,
  input: {},
  result: isError ? 'no' : 'yes',
  isError,
})

async function open(script: readonly (readonly Step[])[], tools: AgentTool[], change: Partial<SessionOptions> = {}) {
  const backend = createScriptedBackend({ script, tools })
  const modelAccess = { type: 'gateway', baseUrl: 'http://127.0.0.1:9', token: 'none' } as const
  const sessionOptions = { cwd: makeTestFolder(), model: 'a-model', modelSource: 'simulator', modelAccess } as const
  const harness = { backend, options: sessionOptions, crash: async () => {}, close: backend.teardown }
  return backend.createSession(optionsOf(harness, change))
}

describe('a critical tool that fails', () => {
  it('tool execution failed: ends the turn as failed with its name, and the session continues', async () => {
    const words: Step = { type: 'text', chunks: ['I go on regardless'] }
    const failing = { call: async () => ({ output: 'no money', isError: true }) }
    const session = await open(
      [[calls('mcp__client__pay', true), { type: 'delay', ms: 60_000 }, words], [{ type: 'text', chunks: ['again'] }]],
      [pay],
      { clientTools: { list: () => [], onChange: () => () => undefined, ...failing } },
    )
    const events = await collect(session.run('pay', never))
    expect(ended(events).data).toMatchObject({
      outcome: 'failed',
      result: { isError: true, errorReason: errorReasons.toolFailed('pay'), toolResults: [{ isError: true }] },
    })
    expect(types(events)).not.toContain('AgentThought')
    expect((await session.send('and now?')).response).toBe('again')
  })

  it('leaves the failure to the model if it is not critical, and a success has no effect', async () => {
    const session = await open(
      [[calls('Bash', true), calls('mcp__client__look', true), { type: 'text', chunks: ['done'] }]],
      [pay, client('look', false)],
    )
    expect(await session.send('go')).toMatchObject({ isError: false, response: 'done' })
  })

  it('does not count as failed when a person or a rule denies it', async () => {
    const gate = gateOf({ check: async () => ({ type: 'deny', message: 'not today' }) })
    const session = await open([[calls('mcp__client__pay', false), { type: 'text', chunks: ['a pity'] }]], [pay], {
      gate,
    })
    expect(await session.send('pay')).toMatchObject({
      isError: false,
      response: 'a pity',
      toolResults: [{ isError: true, result: 'not today' }],
    })
  })

  it('is passed to the backend as the reason of the interrupt, even if the backend cannot end the turn', async () => {
    const reasons: (string | undefined)[] = []
    const driver: TurnDriver = {
      async *turn(): AsyncGenerator<BackendEvent> {
        const data = { toolName: 'mcp__client__pay', toolUseId: 'toolu_1', durationMs: 0, output: 'no', isError: true }
        yield draft('ToolExecuted', data)
        yield endTurn(emptyTurn, { outcome: 'completed', durationMs: 0 })
      },
      async interrupt(because) {
        reasons.push(because)
        throw new Error('nobody hears')
      },
      setModel: async () => {},
      setPermissionMode: async () => {},
      close: async () => {},
    }
    const events = await collect(createAgentSession(driver, () => {}, [pay]).run('pay', never))
    expect(reasons).toEqual([errorReasons.toolFailed('pay')])
    expect(ended(events).data).toMatchObject({ outcome: 'failed' })
  })
})
