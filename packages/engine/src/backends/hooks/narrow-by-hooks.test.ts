import type { JsonObject } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { narrowByHooks } from './narrow-by-hooks.ts'

const call = { toolName: 'Bash', toolInput: { command: 'ls' }, toolUseId: 'toolu_1', agent: null }
const judged = { call, verdict: { type: 'allow', input: call.toolInput }, input: {} } as const

function narrowed(output: JsonObject) {
  const gate = { check: async () => judged.verdict, ask: async () => judged.verdict }
  const hooks = { hasListener: () => true, run: async () => output }
  return narrowByHooks({ gate, hooks }, judged, new AbortController().signal)
}

describe('a hook that refuses', () => {
  it('is honoured in the older format too, with its reason', async () => {
    const { verdict } = await narrowed({ decision: 'block', reason: 'not on a Friday' })
    expect(verdict).toEqual({ type: 'deny', message: 'not on a Friday' })
    expect((await narrowed({ decision: 'block' })).verdict).toMatchObject({ type: 'deny' })
  })

  it('is not overruled by its own newer format', async () => {
    const hookSpecificOutput = { permissionDecision: 'allow', permissionDecisionReason: 'fine' }
    const { verdict } = await narrowed({ decision: 'block', reason: 'no', hookSpecificOutput })
    expect(verdict).toEqual({ type: 'deny', message: 'no' })
  })

  it('refuses the call with its stop reason when it ends the turn', async () => {
    const stop = { continue: false, stopReason: 'enough for today' }
    const message = 'enough for today'
    expect(await narrowed(stop)).toMatchObject({ verdict: { type: 'deny', message }, stops: message })
    expect(await narrowed({ continue: true })).toMatchObject({ verdict: judged.verdict, stops: null })
  })

  it('refuses even with an invalid answer, and the model gets a message', async () => {
    const { verdict } = await narrowed({ hookSpecificOutput: { permissionDecision: ['deny'] } })
    const message = 'a hook returned an invalid answer: hookSpecificOutput.permissionDecision'
    expect(verdict).toEqual({ type: 'deny', message })
  })

  it.each([
    { decision: 'block', reason: null },
    { decision: 'block', reason: '' },
    { decision: null, hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: null } },
    { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: '' } },
  ])('refuses with a default message if it gives no reason: %j', async (output) => {
    expect((await narrowed(output)).verdict).toEqual({ type: 'deny', message: 'Bash was refused by a hook.' })
  })

  it('forwards no field that would make the CLI ignore the refusal', async () => {
    const odd = { systemMessage: null, async: true, terminalSequence: 5, decision: 'block', reason: 'no' }
    expect(await narrowed({ ...odd, suppressOutput: true })).toMatchObject({
      verdict: { type: 'deny', message: 'no' },
      output: { suppressOutput: true },
    })
    expect(Object.keys((await narrowed(odd)).output)).toEqual([])
  })

  it('leaves the decision to the gate when it approves', async () => {
    expect((await narrowed({ decision: 'approve' })).verdict).toEqual(judged.verdict)
  })
})
