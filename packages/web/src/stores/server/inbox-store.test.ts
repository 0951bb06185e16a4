import { draft } from '@quarterdeck/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type LogServer, problem, startLogServer } from '../testing/log-server.fixture.ts'
import { sessionId } from '../testing/logged-event.fixture.ts'
import {
  approvalId,
  approvalRequested,
  messageQueued,
  movedTo,
  questionAsked,
  questionId,
  sessionCreated,
} from '../testing/sample-events.fixture.ts'
import { createInboxStore, type InboxStore, inboxKey } from './inbox-store.ts'

const patience = { timeout: 60_000, interval: 10 }
let server: LogServer
let store: InboxStore

beforeEach(async () => {
  server = await startLogServer()
  server.append(sessionCreated)
  server.append(messageQueued)
  store = createInboxStore({ client: server.client, poll: { everyMs: 20 }, retryAfterMs: 20 })
})

afterEach(() => server.close())

it('lists an approval that opens while the inbox is watched, with its session', async () => {
  const leave = store.subscribe(() => undefined)
  await vi.waitFor(() => expect(store.getSnapshot().items).toEqual([]), patience)
  server.append(approvalRequested())
  await vi.waitFor(
    () =>
      expect(store.getSnapshot().items).toMatchObject([
        { type: 'approval', approval: { approvalId }, agentName: 'coder', title: 'Fix it' },
      ]),
    patience,
  )
  leave()
})

it('retries a decision until the server has answered', async () => {
  const bodies: unknown[] = []
  server.onChange = ({ body }) => {
    bodies.push(body)
    return { status: 200, value: { sessionId, appliedSeq: 3 } }
  }
  server.setUnreachable(true)
  const decided = store.decide(approvalId, { decision: 'deny', note: 'Not today' })
  await vi.waitFor(
    () => expect(store.getSnapshot().submissions.get(approvalId)).toEqual({ phase: 'sending', isRetrying: true }),
    patience,
  )
  server.setUnreachable(false)
  await decided
  expect(store.getSnapshot().submissions.get(approvalId)).toEqual({ phase: 'recorded' })
  expect(bodies).toEqual([{ decision: 'deny', note: 'Not today' }])
})

it('uses one idempotency key for one click, and another key for the next', async () => {
  const keys: string[] = []
  server.onChange = ({ key }) => {
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
  [{ decision: 'expired', decidedBy: 'clock' }, 'It had already expired.'],
  [{}, 'Already decided.'],
])('names the user who decided first, even after a retry: %j', async (facts, message) => {
  let tries = 0
  server.onChange = () => {
    tries += 1
    if (tries === 1) return null
    return { status: 409, value: { ...problem('approval.already-decided', 409, 'too late'), ...facts } }
  }
  await store.decide(approvalId, { decision: 'allow' })
  expect(store.getSnapshot().submissions.get(approvalId)).toEqual({ phase: 'decided', message })
})

it('keeps a refusal for the card to show', async () => {
  server.onChange = () => ({ status: 404, value: problem('approval.not-found', 404, 'no such approval') })
  await store.decide(approvalId, { decision: 'allow' })
  expect(store.getSnapshot().submissions.get(approvalId)).toMatchObject({
    phase: 'failed',
    failure: { code: 'approval.not-found' },
  })
})

it('lists questions and stopped budgets beside approvals', async () => {
  server.append(approvalRequested())
  server.append(questionAsked)
  server.append(movedTo('stopped_budget', 'budget limit reached'))
  await store.refresh()
  expect(store.getSnapshot().items?.map(({ type }) => type)).toEqual(['approval', 'question', 'budget'])
})

it('retries an answer under one key until the server has received it', async () => {
  const asked: (readonly [string, unknown, string])[] = []
  server.onChange = ({ path, body, key }) => {
    asked.push([path, body, key])
    return asked.length < 2 ? null : { status: 200, value: { sessionId, appliedSeq: 3 } }
  }
  await store.answer(questionId, { answers: { 'Which colour?': 'red' } })
  expect(store.getSnapshot().submissions.get(questionId)).toEqual({ phase: 'recorded' })
  expect(asked[0]).toEqual([`/v1/questions/${questionId}`, { answers: { 'Which colour?': 'red' } }, asked[0]?.[2]])
  expect(asked[1]).toEqual(asked[0])
})

it.each([
  [{ how: 'answered', answeredBy: 'jonas' }, 'Already answered by jonas.'],
  [{ how: 'declined', answeredBy: 'jonas' }, 'Already declined by jonas.'],
  [{ how: 'expired', answeredBy: 'clock' }, 'It had already expired.'],
])('names the user who answered first: %j', async (facts, message) => {
  server.onChange = () => ({ status: 409, value: { ...problem('question.already-answered', 409, 'late'), ...facts } })
  await store.answer(questionId, { answers: null })
  expect(store.getSnapshot().submissions.get(questionId)).toEqual({ phase: 'decided', message })
})

it('raises the limit of a stopped session, and treats a second stop as a new item', async () => {
  server.append(movedTo('stopped_budget'))
  await store.refresh()
  const [first] = store.getSnapshot().items ?? []
  if (first?.type !== 'budget') throw new Error('no stopped budget')
  const changes: unknown[] = []
  server.onChange = ({ method, path, body }) => {
    changes.push([method, path, body])
    server.append(movedTo('running'))
    server.append(movedTo('stopped_budget'))
    return { status: 200, value: { sessionId, appliedSeq: 5 } }
  }
  await store.raiseLimit(first, 2)
  expect(changes).toEqual([['PATCH', `/v1/sessions/${sessionId}`, { limits: { maxBudgetUsd: 2 } }]])
  const [second] = store.getSnapshot().items ?? []
  if (second?.type !== 'budget') throw new Error('no second stop')
  const { submissions } = store.getSnapshot()
  expect(submissions.get(inboxKey(first))).toEqual({ phase: 'recorded' })
  expect(submissions.get(inboxKey(second))).toBeUndefined()
})

async function stoppedItem() {
  server.append(movedTo('stopped_budget'))
  await store.refresh()
  const [item] = store.getSnapshot().items ?? []
  if (item?.type !== 'budget') throw new Error('no stopped budget')
  return item
}

it('allows a second raise when the first did not free the session', async () => {
  const item = await stoppedItem()
  server.onChange = () => ({ status: 200, value: { sessionId, appliedSeq: 4 } })
  await store.raiseLimit(item, 2)
  expect(store.getSnapshot().items).toEqual([item])
  expect(store.getSnapshot().submissions.get(inboxKey(item))).toBeUndefined()
})

it('keeps a refusal while its item is listed, and drops settled items that are gone', async () => {
  const item = await stoppedItem()
  server.onChange = () => ({ status: 400, value: problem('request.invalid', 400, 'too little') })
  await store.raiseLimit(item, 2)
  await store.decide(approvalId, { decision: 'allow' })
  expect(store.getSnapshot().submissions.size).toBe(2)
  await store.refresh()
  expect([...store.getSnapshot().submissions.keys()]).toEqual([inboxKey(item)])
})

it('treats a renamed session as the same item', async () => {
  const item = await stoppedItem()
  server.append(draft('AgentSessionDetailsChanged', { title: 'Another name', by: 'ana' }))
  await store.refresh()
  const [renamed] = store.getSnapshot().items ?? []
  expect(renamed).toMatchObject({ title: 'Another name' })
  expect(renamed && inboxKey(renamed)).toBe(inboxKey(item))
})
