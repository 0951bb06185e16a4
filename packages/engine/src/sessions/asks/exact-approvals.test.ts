// Only the approved call runs: no other call that looks like it, and none that the rules forbid.
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Step } from '../../backends/scripted/script.ts'
import { claudeSettings } from '../../testing/agent-definition.fixture.ts'
import { eventsOf, ls, openApproval, refusedWith, rests, stateOf } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

const keyA = 'made-up-key-a-0123'
const keyB = 'made-up-key-b-4567'
const secrets = [keyA, keyB]
const use = (key: string): Step => ({ type: 'tool', name: 'Bash', input: { command: `deploy ${key}` }, result: 'done' })

/** The agent asks for `deploy` with one key, its server dies, and under the next server it issues another call. */
async function recovered(again: Step) {
  const first = await openTestRuntime({ backend: createScriptedBackend({ script: [[use(keyA)]] }), secrets })
  const { sessionId } = await first.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  const approvalId = await openApproval(first, sessionId)
  const runtime = await openTestRuntime({
    backend: createScriptedBackend({ script: [[again]] }),
    secrets,
    store: first.store,
  })
  await runtime.recover()
  return { runtime, sessionId, approvalId }
}

it('lets exactly the approved call through, although the log does not contain its secret', async () => {
  const { runtime, sessionId, approvalId } = await recovered(use(keyA))
  await runtime.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ben')
  await rests(runtime, sessionId, 'idle')
  expect((await eventsOf(runtime, sessionId, 'ToolExecuted')).map(({ data }) => data.output)).toEqual(['done'])
  expect(JSON.stringify(await runtime.log(sessionId))).not.toContain(keyA)
})

it('asks for a call that differs from the approved one only in a secret', async () => {
  const { runtime, sessionId, approvalId } = await recovered(use(keyB))
  await runtime.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ben')
  await rests(runtime, sessionId, 'waiting_approval')
  expect((await stateOf(runtime, sessionId)).approvals).toMatchObject([{ insteadOf: { approvalId } }])
  expect(await eventsOf(runtime, sessionId, 'ToolExecuted')).toEqual([])
})

it('does not reuse an open approval for a call with another secret', async () => {
  const { runtime, sessionId, approvalId } = await recovered(use(keyB))
  await runtime.sessions.sendMessage(sessionId, { content: 'again' }, 'ana')
  await expect.poll(async () => (await stateOf(runtime, sessionId)).approvals.length).toBe(2)
  expect(await eventsOf(runtime, sessionId, 'ApprovalTakenUp')).toEqual([])
  expect((await stateOf(runtime, sessionId)).approvals[0]?.approvalId).toBe(approvalId)
})

it.each([
  [keyB, 'idle'],
  [keyA, 'waiting_approval'],
] as const)('lets only the edited call through after an edit (%s)', async (key, status) => {
  const { runtime, sessionId, approvalId } = await recovered(use(key))
  await runtime.sessions.decideApproval(approvalId, { decision: 'allow', input: { command: `deploy ${keyB}` } }, 'ben')
  await rests(runtime, sessionId, status)
})

it('refuses an edit that breaks the rules and leaves the approval open', async () => {
  const { bash, ...others } = claudeSettings(tmpdir())
  const claude = { ...others, bash: { ...bash, excludedCommands: ['sudo'] } }
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [[ls]] }), agent: { claude } })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  const approvalId = await openApproval(runtime, sessionId)
  const edit = (command: string) =>
    runtime.sessions.decideApproval(approvalId, { decision: 'allow', input: { command } }, 'ben')
  await refusedWith(edit('sudo ls'), 'request.invalid')
  expect((await stateOf(runtime, sessionId)).approvals).toHaveLength(1)
  await edit('ls -a')
  await rests(runtime, sessionId, 'idle')
})

it('refuses to allow a call that plan mode now forbids, runs nothing, and still accepts a denial', async () => {
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [[ls]] }) })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  const approvalId = await openApproval(runtime, sessionId)
  await runtime.sessions.changeSession(sessionId, { permissionMode: 'plan' }, 'ana')
  for (const decision of ['allow', 'allow_session'] as const) {
    const refused = runtime.sessions.decideApproval(approvalId, { decision }, 'ben')
    await expect(refused).rejects.toMatchObject({
      code: 'request.invalid',
      message: expect.stringContaining('cannot be allowed now: Denied: this session is in plan mode'),
    })
  }
  expect((await stateOf(runtime, sessionId)).approvals).toMatchObject([{ approvalId }])
  await runtime.sessions.decideApproval(approvalId, { decision: 'deny' }, 'ben')
  await rests(runtime, sessionId, 'idle')
  expect((await eventsOf(runtime, sessionId, 'ToolExecuted')).map(({ data }) => data.isError)).toEqual([true])
})

it('runs nothing in plan mode even when only the process knows the whole call', async () => {
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [[use(keyA)]] }), secrets })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  const approvalId = await openApproval(runtime, sessionId)
  await runtime.sessions.changeSession(sessionId, { permissionMode: 'plan' }, 'ana')
  await runtime.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ben')
  await rests(runtime, sessionId, 'idle')
  const [executed] = await eventsOf(runtime, sessionId, 'ToolExecuted')
  expect(executed?.data).toMatchObject({ isError: true, output: expect.stringContaining('plan mode') })
})

it('refuses to allow a parked call that the agent file now denies', async () => {
  const first = await openTestRuntime({ backend: createScriptedBackend({ script: [[ls]] }) })
  const { sessionId } = await first.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  const approvalId = await openApproval(first, sessionId)
  const deny = [{ tool: 'Bash', pattern: 'ls' }]
  const runtime = await openTestRuntime({
    backend: createScriptedBackend({ script: [[ls]] }),
    store: first.store,
    agent: { approvals: { allow: [], deny, expiresAfterMs: null } },
  })
  await runtime.recover()
  await refusedWith(runtime.sessions.decideApproval(approvalId, { decision: 'allow' }, 'ben'), 'request.invalid')
  expect((await stateOf(runtime, sessionId)).grants).toEqual([])
})
