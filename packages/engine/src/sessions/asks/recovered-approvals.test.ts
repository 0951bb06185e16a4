// Approvals that outlive the process that asked for them.

import { setTimeout as sleep } from 'node:timers/promises'
import { type ApprovalId, parseApprovedCalls } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Script, Step } from '../../backends/scripted/script.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import { beforeAppend } from '../../testing/test-store.fixture.ts'
import { ofType } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

const ls: Extract<Step, { type: 'tool' }> = { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'a.txt' }

/** A runtime that took over a session whose agent waits for an approval of `ls`. There the agent follows `steps`. */
async function recoveredRuntime(...steps: readonly Step[]) {
  return recoveredOver(
    (store) => store,
    () => steps,
  )
}

async function recoveredOver(change: (store: EventStore) => EventStore, script: Script) {
  const first = await openTestRuntime({ backend: createScriptedBackend({ script: [[ls]] }) })
  const { sessionId } = await first.sessions.createSession({ agent: 'tester', message: 'list' }, 'ana')
  await first.until(sessionId, 'waiting_approval')
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script }), store: change(first.store) })
  await runtime.recover()
  const session = async () => (await runtime.sessions.getSession(sessionId)).session
  const [earlier] = (await session()).approvals
  if (earlier === undefined) throw new Error('the approval is gone')
  const allow = (approvalId: ApprovalId) => runtime.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ben')
  return { ...runtime, sessionId, session, approvalId: earlier.approvalId, allow }
}

it('waits for the open approval when the agent asks again, and shows that it waits', async () => {
  const runtime = await recoveredRuntime(ls)
  await runtime.sessions.sendMessage(runtime.sessionId, { content: 'again' }, 'ana')
  await expect
    .poll(runtime.session, { timeout: 60_000 })
    .toMatchObject({ status: 'waiting_approval', turn: { turnId: expect.any(String) } })
  expect((await runtime.session()).approvals.map(({ approvalId }) => approvalId)).toEqual([runtime.approvalId])
  await runtime.allow(runtime.approvalId)
  await runtime.until(runtime.sessionId, 'idle')
  expect(ofType(await runtime.log(runtime.sessionId), 'ApprovalDecided')[0]?.data.wasLive).toBe(true)
})

it('asks again for the second of two identical parallel calls', async () => {
  const runtime = await recoveredRuntime({ type: 'parallel', tools: [ls, ls] })
  await runtime.sessions.sendMessage(runtime.sessionId, { content: 'again' }, 'ana')
  await expect.poll(async () => (await runtime.session()).approvals.length, { timeout: 60_000 }).toBe(2)
  for (const { approvalId } of (await runtime.session()).approvals) await runtime.allow(approvalId)
  await runtime.until(runtime.sessionId, 'idle')
  const executed = ofType(await runtime.log(runtime.sessionId), 'ToolExecuted')
  expect(executed.map(({ data }) => data.output)).toEqual(['a.txt', 'a.txt'])
})

it('records that an approved call ran, even when a session rule let it through', async () => {
  const runtime = await recoveredRuntime(ls)
  await runtime.sessions.decideApproval(runtime.approvalId, { decision: 'allow_session' }, 'ben')
  await runtime.until(runtime.sessionId, 'idle')
  const log = await runtime.log(runtime.sessionId)
  expect(ofType(log, 'ToolExecuted')[0]?.data).toMatchObject({ output: 'a.txt', isError: false })
  expect(ofType(log, 'ApprovalUsed').map(({ data }) => data.approvalId)).toEqual([runtime.approvalId])
  expect(ofType(log, 'ApprovalUnused')).toEqual([])
})

/** A store that delays decisions, so that something else happens meanwhile. */
const slowWithDecisions = (store: EventStore): EventStore =>
  beforeAppend(store, async (drafts) => {
    if (drafts.some(({ type }) => type === 'ApprovalDecided')) await sleep(500)
  })

it.each([
  ['allow', 1],
  ['allow_session', 1],
  ['deny', 0],
] as const)('does not run a call twice when %s arrives just as the call is asked for again', async (decision, runs) => {
  const asksLater: readonly Step[] = [{ type: 'delay', ms: 200 }, ls]
  const obey: Script = (input) =>
    input === 'again' || parseApprovedCalls(input).length > 0 ? asksLater : [{ type: 'text', chunks: ['I see.'] }]
  const runtime = await recoveredOver(slowWithDecisions, obey)
  await runtime.sessions.sendMessage(runtime.sessionId, { content: 'again' }, 'ana')
  await expect.poll(async () => (await runtime.session()).turn, { timeout: 60_000 }).not.toBeNull()
  await runtime.sessions.decideApproval(runtime.approvalId, { decision }, 'ben')
  await runtime.until(runtime.sessionId, 'idle')
  const executed = ofType(await runtime.log(runtime.sessionId), 'ToolExecuted').filter(({ data }) => !data.isError)
  expect(executed).toHaveLength(runs)
  expect((await runtime.session()).unreported).toEqual([])
})

it('reports decisions made during a turn after the turn, before queued messages of people', async () => {
  const runtime = await recoveredOver(
    (store) => store,
    (input) => (input === 'again' ? [{ type: 'delay', ms: 300 }] : [{ type: 'text', chunks: [`heard ${input}`] }]),
  )
  await runtime.sessions.sendMessage(runtime.sessionId, { content: 'again' }, 'ana')
  await runtime.sessions.sendMessage(runtime.sessionId, { content: 'and then' }, 'ana')
  await expect.poll(async () => (await runtime.session()).turn, { timeout: 60_000 }).not.toBeNull()
  await runtime.sessions.decideApproval(runtime.approvalId, { decision: 'deny' }, 'ben')
  await runtime.until(runtime.sessionId, 'idle')
  const texts = ofType(await runtime.log(runtime.sessionId), 'AgentThought').map(({ data }) => data.text)
  expect(texts).toEqual([expect.stringContaining('Denied call'), 'heard and then'])
})
