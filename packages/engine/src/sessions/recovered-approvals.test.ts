// Questions that outlive the process that asked them.

import { setTimeout as sleep } from 'node:timers/promises'
import { type ApprovalId, type EventType, parseApprovedCalls, type SessionEvent } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import type { Script, Step } from '../backends/scripted/script.ts'
import type { EventStore } from '../store/event-store.ts'
import { openTestHouse } from './engine.fixture.ts'

const ls: Extract<Step, { type: 'tool' }> = { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'a.txt' }

const only = <Type extends EventType>(events: readonly SessionEvent[], type: Type) =>
  events.filter((event): event is Extract<SessionEvent, { type: Type }> => event.type === type)

/** A house that took over a session whose agent waits for leave to call `ls`; there it does what `steps` say. */
async function recoveredHouse(...steps: readonly Step[]) {
  return recoveredOver(
    (store) => store,
    () => steps,
  )
}

async function recoveredOver(change: (store: EventStore) => EventStore, script: Script) {
  const first = await openTestHouse({ backend: createScriptedBackend({ script: [[ls]] }) })
  const { sessionId } = await first.sessions.create({ agent: 'tester', message: 'list' }, 'ana')
  await first.until(sessionId, 'waiting_approval')
  const house = await openTestHouse({ backend: createScriptedBackend({ script }), store: change(first.store) })
  await house.recover()
  const session = async () => (await house.sessions.snapshot(sessionId)).session
  const [earlier] = (await session()).approvals
  if (earlier === undefined) throw new Error('the approval is gone')
  const allow = (approvalId: ApprovalId) => house.sessions.decide(approvalId, { decision: 'allow' }, 'ben')
  return { ...house, sessionId, session, approvalId: earlier.approvalId, allow }
}

it('waits for the old question when the agent asks it again, and says that it waits', async () => {
  const house = await recoveredHouse(ls)
  await house.sessions.send(house.sessionId, { content: 'again' }, 'ana')
  await expect
    .poll(house.session, { timeout: 60_000 })
    .toMatchObject({ status: 'waiting_approval', turn: { turnId: expect.any(String) } })
  expect((await house.session()).approvals.map(({ approvalId }) => approvalId)).toEqual([house.approvalId])
  await house.allow(house.approvalId)
  await house.until(house.sessionId, 'idle')
  expect(only(await house.log(house.sessionId), 'ApprovalDecided')[0]?.data.wasLive).toBe(true)
})

it('asks anew for the second of two parallel calls that are the same', async () => {
  const house = await recoveredHouse({ type: 'parallel', tools: [ls, ls] })
  await house.sessions.send(house.sessionId, { content: 'again' }, 'ana')
  await expect.poll(async () => (await house.session()).approvals.length, { timeout: 60_000 }).toBe(2)
  for (const { approvalId } of (await house.session()).approvals) await house.allow(approvalId)
  await house.until(house.sessionId, 'idle')
  const executed = only(await house.log(house.sessionId), 'ToolExecuted')
  expect(executed.map(({ data }) => data.output)).toEqual(['a.txt', 'a.txt'])
})

it('knows that an approved call ran, also when a rule for the session let it through', async () => {
  const house = await recoveredHouse(ls)
  await house.sessions.decide(house.approvalId, { decision: 'allow_session' }, 'ben')
  await house.until(house.sessionId, 'idle')
  const log = await house.log(house.sessionId)
  expect(only(log, 'ToolExecuted')[0]?.data).toMatchObject({ output: 'a.txt', isError: false })
  expect(only(log, 'ApprovalUsed').map(({ data }) => data.approvalId)).toEqual([house.approvalId])
  expect(only(log, 'ApprovalUnused')).toEqual([])
})

/** A store that takes its time with decisions, so that something else happens meanwhile. */
const slowWithDecisions = (store: EventStore): EventStore => ({
  ...store,
  async append(sessionId, seq, drafts) {
    if (drafts.some(({ type }) => type === 'ApprovalDecided')) await sleep(500)
    return store.append(sessionId, seq, drafts)
  },
})

it.each([
  ['allow', 1],
  ['allow_session', 1],
  ['deny', 0],
] as const)('lets a call run no second time when %s comes just as it is asked for again', async (decision, runs) => {
  const asksLater: readonly Step[] = [{ type: 'delay', ms: 200 }, ls]
  const obey: Script = (input) =>
    input === 'again' || parseApprovedCalls(input).length > 0 ? asksLater : [{ type: 'text', chunks: ['I see.'] }]
  const house = await recoveredOver(slowWithDecisions, obey)
  await house.sessions.send(house.sessionId, { content: 'again' }, 'ana')
  await expect.poll(async () => (await house.session()).turn, { timeout: 60_000 }).not.toBeNull()
  await house.sessions.decide(house.approvalId, { decision }, 'ben')
  await house.until(house.sessionId, 'idle')
  const executed = only(await house.log(house.sessionId), 'ToolExecuted').filter(({ data }) => !data.isError)
  expect(executed).toHaveLength(runs)
  expect((await house.session()).untold).toEqual([])
})

it('tells the agent after its turn what was decided meanwhile, before anything a person sent', async () => {
  const house = await recoveredOver(
    (store) => store,
    (input) => (input === 'again' ? [{ type: 'delay', ms: 300 }] : [{ type: 'text', chunks: [`heard ${input}`] }]),
  )
  await house.sessions.send(house.sessionId, { content: 'again' }, 'ana')
  await house.sessions.send(house.sessionId, { content: 'and then' }, 'ana')
  await expect.poll(async () => (await house.session()).turn, { timeout: 60_000 }).not.toBeNull()
  await house.sessions.decide(house.approvalId, { decision: 'deny' }, 'ben')
  await house.until(house.sessionId, 'idle')
  const texts = only(await house.log(house.sessionId), 'AgentThought').map(({ data }) => data.text)
  expect(texts).toEqual([expect.stringContaining('Denied call'), 'heard and then'])
})
