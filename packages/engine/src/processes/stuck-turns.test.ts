import { describe, expect, it } from 'vitest'
import { backendOf } from '../sessions/testing/backend-of-turn.fixture.ts'
import { ls, ofType, openApproval, startSession } from '../sessions/testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../sessions/testing/test-runtime.fixture.ts'
import { createCountingBackend } from './counting-backend.fixture.ts'

describe('a stuck turn', () => {
  it('is stopped and reported, and the session continues', async () => {
    const { backend } = createCountingBackend((input) => (input === 'go' ? [{ type: 'stall', chunks: [] }] : []))
    const runtime = await openTestRuntime({ backend, processes: { stuckAfterMs: 100 } })
    const sessionId = await startSession(runtime)
    await runtime.until(sessionId, 'failed')
    const [ended] = ofType(await runtime.log(sessionId), 'TurnEnded')
    expect(ended?.data.outcome).toBe('failed')
    expect(ended?.data.result.errorReason).toMatch(/showed no activity/)
    await runtime.sessions.sendMessage(sessionId, { content: 'again' }, 'ana')
    await runtime.until(sessionId, 'idle')
  })

  it('is abandoned when its backend does not react to the interruption', async () => {
    const backend = backendOf(async function* () {
      await new Promise(() => undefined)
    })
    const runtime = await openTestRuntime({ backend, processes: { stuckAfterMs: 100, endTimeoutMs: 200 } })
    const sessionId = await startSession(runtime)
    await runtime.until(sessionId, 'failed')
    expect(ofType(await runtime.log(sessionId), 'TurnEnded')[0]?.data.result.errorReason).toMatch(/showed no activity/)
  })

  it('is not a turn that waits for a person', async () => {
    const { backend } = createCountingBackend([[ls]])
    const runtime = await openTestRuntime({ backend, processes: { stuckAfterMs: 60 } })
    const sessionId = await startSession(runtime)
    const approvalId = await openApproval(runtime, sessionId)
    await new Promise((resolve) => setTimeout(resolve, 400))
    await runtime.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ben')
    await runtime.until(sessionId, 'idle')
  })
})
