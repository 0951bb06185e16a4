// The part of the contract about why a turn ended, for the reasons that need more than a model's reply. The turn limit,
// the crash, the budget and the interrupt are tested with their turns.
import { type AgentTool, errorReasons } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import type { ClientToolCaller } from '../backend.ts'
import { collect, ended } from './backend-events.contract.ts'
import { never, type OpenHarness, optionsOf } from './backend-harness.contract.ts'

const pay: AgentTool = {
  type: 'client',
  name: 'pay',
  description: 'Pays the bill.',
  isCritical: true,
  parameters: { type: 'object', properties: {} },
}

const failingClient: ClientToolCaller = {
  list: () => [{ name: pay.name, description: pay.description, inputSchema: { type: 'object', properties: {} } }],
  onChange: () => () => undefined,
  call: async () => ({ output: 'no money', isError: true }),
}

export function describeReasons(openHarness: OpenHarness): void {
  it('ends a turn as failed with the name of a critical tool that fails, and the session continues', async () => {
    // Without the stop, the turn would never end. How much of the text arrives before is random.
    const replies = [
      { calls: ['mcp__client__pay'] },
      { text: 'I go on regardless', stalls: true, whenPrompt: 1 },
      { text: 'again', whenPrompt: 2 },
    ]
    const harness = await openHarness(replies, { tools: [pay] })
    const session = await harness.backend.createSession(optionsOf(harness, { clientTools: failingClient }))
    const events = await collect(session.run('pay', never))
    const errorReason = errorReasons.toolFailed('pay')
    expect(ended(events).data).toMatchObject({ outcome: 'failed', result: { isError: true, errorReason } })
    expect(ended(events).data.result.toolResults).toEqual([expect.objectContaining({ isError: true })])
    expect((await session.send('and now?')).response).toBe('again')
  })

  it('returns the failure of a non-critical tool to the model', async () => {
    const replies = [{ calls: ['mcp__client__pay'] }, { whenToolResult: 'no money', text: 'a pity' }]
    const harness = await openHarness(replies, { tools: [{ ...pay, isCritical: false }] })
    const session = await harness.backend.createSession(optionsOf(harness, { clientTools: failingClient }))
    expect(await session.send('pay')).toMatchObject({ isError: false, errorReason: null, response: 'a pity' })
  })

  it('returns a result with the table’s reason when invokeOnce takes too long', async () => {
    const harness = await openHarness([{ text: 'I begin', stalls: true }], { turnTimeoutMs: 1500 })
    const result = await harness.backend.invokeOnce('hi', optionsOf(harness))
    expect(result).toMatchObject({ isError: true, errorReason: errorReasons.timeout })
  })
}
