import type { JsonObject } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { narrowByHooks } from './narrow-by-hooks.ts'

const call = { toolName: 'Bash', toolInput: { command: 'ls' }, toolUseId: 'toolu_1', agent: null }
const judged = { call, verdict: { type: 'allow', input: call.toolInput }, input: {} } as const

function narrowed(output: JsonObject) {
  const gate = {
    check: async () => judged.verdict,
    ask: async () => judged.verdict,
  }
  const hooks = { isHeard: () => true, run: async () => output }
  return narrowByHooks({ gate, hooks }, judged, new AbortController().signal)
}

describe('a hook that refuses', () => {
  it('is heard in the older way too, with its reason', async () => {
    const { verdict } = await narrowed({ decision: 'block', reason: 'not on a Friday' })
    expect(verdict).toEqual({ type: 'deny', message: 'not on a Friday' })
    expect((await narrowed({ decision: 'block' })).verdict).toMatchObject({ type: 'deny' })
  })

  it('is not overruled by what it says in the newer way', async () => {
    const hookSpecificOutput = { permissionDecision: 'allow', permissionDecisionReason: 'fine' }
    const { verdict } = await narrowed({ decision: 'block', reason: 'no', hookSpecificOutput })
    expect(verdict).toEqual({ type: 'deny', message: 'no' })
  })

  it('leaves the gate its word when it approves', async () => {
    expect((await narrowed({ decision: 'approve' })).verdict).toEqual(judged.verdict)
  })
})
