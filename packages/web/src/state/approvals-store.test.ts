import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type ApprovalsStore, createApprovalsStore } from './approvals-store.ts'
import { type LogServer, problem, sessionId, startLogServer } from './log-server.fixture.ts'
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
  server.onDecide = (_id, body) => {
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

it('says who was faster', async () => {
  server.onDecide = () => ({
    status: 409,
    value: problem('approval.already-decided', 409, 'jonas allowed it at 14:02'),
  })
  await store.decide(approvalId, { decision: 'allow' })
  expect(store.getSnapshot().verdicts.get(approvalId)).toEqual({
    phase: 'elsewhere',
    words: 'jonas allowed it at 14:02',
  })
})

it('keeps a refusal for the card to show', async () => {
  server.onDecide = () => ({ status: 404, value: problem('approval.not-found', 404, 'no such approval') })
  await store.decide(approvalId, { decision: 'allow' })
  expect(store.getSnapshot().verdicts.get(approvalId)).toMatchObject({
    phase: 'failed',
    failure: { code: 'approval.not-found' },
  })
})
