import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type ApprovalsStore, createApprovalsStore } from './approvals-store.ts'
import { type LogServer, problem, startLogServer } from './log-server.fixture.ts'
import { sessionId } from './logged-event.fixture.ts'
import { approvalId, approvalRequested, messageQueued, sessionCreated } from './sample-events.fixture.ts'

const patience = { timeout: 60_000, interval: 10 }
let server: LogServer
let store: ApprovalsStore

beforeEach(async () => {
  server = await startLogServer()
  server.append(sessionCreated)
  server.append(messageQueued)
  store = createApprovalsStore({ client: server.client, poll: { everyMs: 20 }, retryAfterMs: 20 })
})

afterEach(async () => {
  store.dispose()
  await server.close()
})

it('finds an approval that opens while somebody watches, with the session it belongs to', async () => {
  const leave = store.subscribe(() => undefined)
  await vi.waitFor(() => expect(store.getSnapshot().approvals).toEqual([]), patience)
  server.append(approvalRequested())
  await vi.waitFor(
    () => expect(store.getSnapshot().approvals).toMatchObject([{ approvalId, agentName: 'coder', title: 'Fix it' }]),
    patience,
  )
  leave()
})

it('sends a decision until the server has answered', async () => {
  const bodies: unknown[] = []
  server.onDecide = (body) => {
    bodies.push(body)
    return { status: 200, value: { sessionId, appliedSeq: 3 } }
  }
  server.setAway(true)
  const decided = store.decide(approvalId, { decision: 'deny', note: 'Not today' })
  await vi.waitFor(
    () => expect(store.getSnapshot().verdicts.get(approvalId)).toEqual({ phase: 'sending', isRetrying: true }),
    patience,
  )
  server.setAway(false)
  await decided
  expect(store.getSnapshot().verdicts.get(approvalId)).toEqual({ phase: 'recorded' })
  expect(bodies).toEqual([{ decision: 'deny', note: 'Not today' }])
})

it('names one press with one key, and the next press with another', async () => {
  const keys: string[] = []
  server.onDecide = (_body, key) => {
    keys.push(key)
    return keys.length < 3 ? null : { status: 200, value: { sessionId, appliedSeq: 3 } }
  }
  await store.decide(approvalId, { decision: 'allow' })
  expect(keys).toHaveLength(3)
  expect(new Set(keys).size).toBe(1)
  await store.decide(approvalId, { decision: 'allow' })
  expect(new Set(keys).size).toBe(2)
})

it.each([
  [{ decision: 'allow', decidedBy: 'jonas' }, 'Already allowed by jonas.'],
  [{ decision: 'deny', decidedBy: 'jonas' }, 'Already denied by jonas.'],
  [{ decision: 'expired', decidedBy: 'clock' }, 'It had expired before.'],
  [{}, 'Already decided.'],
])('says who was faster, also when it had to try again: %j', async (facts, words) => {
  let tries = 0
  server.onDecide = () => {
    tries += 1
    if (tries === 1) return null
    return { status: 409, value: { ...problem('approval.already-decided', 409, 'too late'), ...facts } }
  }
  await store.decide(approvalId, { decision: 'allow' })
  expect(store.getSnapshot().verdicts.get(approvalId)).toEqual({ phase: 'decided', words })
})

it('keeps a refusal for the card to show', async () => {
  server.onDecide = () => ({ status: 404, value: problem('approval.not-found', 404, 'no such approval') })
  await store.decide(approvalId, { decision: 'allow' })
  expect(store.getSnapshot().verdicts.get(approvalId)).toMatchObject({
    phase: 'failed',
    failure: { code: 'approval.not-found' },
  })
})
