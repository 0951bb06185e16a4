// Questions that outlive the process that asked them.
import type { ApprovalId, EventType, SessionEvent } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import type { Step } from '../backends/scripted/script.ts'
import { openTestHouse } from './engine.fixture.ts'

const ls: Extract<Step, { type: 'tool' }> = { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'a.txt' }

const only = <Type extends EventType>(events: readonly SessionEvent[], type: Type) =>
  events.filter((event): event is Extract<SessionEvent, { type: Type }> => event.type === type)

/** A house that took over a session whose agent waits for leave to call `ls`; there it does what `steps` say. */
async function recoveredHouse(...steps: readonly Step[]) {
  const first = await openTestHouse({ backend: createScriptedBackend({ script: [[ls]] }) })
  const { sessionId } = await first.sessions.create({ agent: 'tester', message: 'list' }, 'ana')
  await first.until(sessionId, 'waiting_approval')
  const house = await openTestHouse({ backend: createScriptedBackend({ script: () => steps }), store: first.store })
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
