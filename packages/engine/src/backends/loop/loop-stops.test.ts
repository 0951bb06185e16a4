// What remains of a turn that ends before its answer, on both wires.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AgentTool, errorReasons, UserMessageId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { BackendEvent, HookPoints, SessionOptions } from '../backend.ts'
import { collect, ended, find } from '../contract/backend-events.contract.ts'
import { never } from '../contract/backend-harness.contract.ts'
import { defaultRetryPolicy } from './request/loop-retry-policy.ts'
import { type LoopHarness, type LoopHarnessOptions, openLoop, wires } from './testing/loop-harness.fixture.ts'
import { says, toolboxOf } from './testing/toolbox.fixture.ts'

const another = UserMessageId.parse('umsg_looptest1')
const calls = (name: string) => ({ then: { tools: [{ name, input: {} }] } })
const done = { repeat: true, then: { text: 'done' } }
const lastAsked = (harness: LoopHarness) => JSON.stringify(harness.requests().at(-1)?.messages)

describe.each(wires)('a turn on the %s wire that ends early', (wire) => {
  /** A turn whose second request gets no answer, with a message added in the meantime. */
  async function steeredInSilence(options: Partial<LoopHarnessOptions> = {}) {
    const faults = [{ fault: { type: 'stall', after_deltas: 0 }, on: { nth: 2 } }] as const
    const opened = await openLoop({ wire, steps: [calls('Bash'), done], faults, ...options })
    const running = collect(opened.session.run('go', never))
    while (opened.harness.requests().length < 2) await sleep(5)
    expect(await opened.session.steer('and be quick', another)).toBe(true)
    return { ...opened, running }
  }

  it('includes its added message in the next request when it was interrupted', async () => {
    const { harness, session, running } = await steeredInSilence()
    await session.interrupt()
    expect(ended(await running).data.outcome).toBe('interrupted')
    await session.send('and now?')
    expect(lastAsked(harness)).toMatch(/and be quick.*and now\?/)
  })

  it('includes its added message in the next request when it failed', async () => {
    const retryPolicy = { ...defaultRetryPolicy, maxRetries: 0, silenceMs: 1000, firstByteMs: 1000 }
    const { harness, session, running } = await steeredInSilence({ backend: { retryPolicy } })
    expect(ended(await running).data.outcome).toBe('failed')
    await session.send('and now?')
    expect(lastAsked(harness)).toMatch(/and be quick.*and now\?/)
  })

  it('does not keep a message that a hook refuses', async () => {
    const hooks: HookPoints = {
      hasListener: (event) => event === 'UserPromptSubmit',
      run: async (_, { prompt }) => (String(prompt).includes('secret') ? { decision: 'block', reason: 'no' } : {}),
    }
    let steer: () => Promise<boolean> = async () => false
    const look = async () => ({ output: String(await steer()), isError: false })
    const steps = [calls('mcp__tools__look'), done]
    const { harness, session } = await openLoop(
      { wire, steps },
      { hooks, hostTools: toolboxOf({ mcp__tools__look: look }) },
    )
    steer = () => session.steer('the secret word', another)
    expect(await session.send('go')).toMatchObject({ isError: true, errorReason: 'no' })
    await session.send('and now?')
    expect(lastAsked(harness)).not.toContain('secret')
  })

  it('does not report an interruption by a person when a critical tool ended it', async () => {
    const parameters = { type: 'object', properties: {} }
    const pay: AgentTool = { type: 'client', name: 'pay', description: 'Pays.', isCritical: true, parameters }
    const clientTools: SessionOptions['clientTools'] = {
      list: () => [{ name: 'pay', description: 'Pays.', inputSchema: parameters }],
      onChange: () => () => undefined,
      call: says('no money', true),
    }
    // Stalls, so that the failure ends the turn rather than the answer.
    const stall = { when: { turn: 1 }, then: { text: 'I go on', fault: { type: 'stall', after_deltas: 1 } } } as const
    const steps = [calls('mcp__client__pay'), stall, done]
    const { harness, session } = await openLoop({ wire, steps, agent: { tools: [pay] } }, { clientTools })
    expect(await session.send('pay')).toMatchObject({ isError: true, errorReason: errorReasons.toolFailed('pay') })
    await session.send('and now?')
    expect(lastAsked(harness)).toContain(errorReasons.toolFailed('pay'))
    expect(lastAsked(harness)).not.toContain('interrupted by user')
  })

  it('keeps its outcome when its last entries cannot be written', async () => {
    const stall = { then: { text: 'I go on', fault: { type: 'stall', after_deltas: 1 } } } as const
    const { harness, session } = await openLoop({ wire, steps: [calls('Bash'), stall] })
    const events: BackendEvent[] = []
    for await (const event of session.run('go', never)) {
      events.push(event)
      if (event.type !== 'AgentStreamToken') continue
      const { backendSessionId } = find(events, 'AgentSessionStarted').data
      const file = join(harness.dataDir, 'loop', 'ses_looptest', `${backendSessionId}.jsonl`)
      rmSync(file)
      mkdirSync(file)
      await session.interrupt()
    }
    expect(ended(events).data).toMatchObject({ outcome: 'interrupted', result: { toolCalls: [{ name: 'Bash' }] } })
    expect(ended(events).data.result.numTurns).toBe(2)
  })
})
