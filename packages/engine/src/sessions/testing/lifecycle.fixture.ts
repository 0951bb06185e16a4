// Shared helpers of the session tests.
import type { EventType, SessionEvent, SessionId, SessionStatus } from '@quarterdeck/protocol'
import { expect } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Script, Step } from '../../backends/scripted/script.ts'
import { openTestRuntime } from './test-runtime.fixture.ts'

export type TestRuntime = Awaited<ReturnType<typeof openTestRuntime>>

export const textStep = (...chunks: string[]): Step => ({ type: 'text', chunks })
export const stall: Step = { type: 'stall', chunks: ['working'] }
export const ls: Step = { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'notes.txt' }

export const stateOf = async (runtime: TestRuntime, sessionId: SessionId) =>
  (await runtime.sessions.getSession(sessionId)).session

/** Waits until the session has this status. */
export const rests = (runtime: TestRuntime, sessionId: SessionId, status: SessionStatus) =>
  expect.poll(async () => (await stateOf(runtime, sessionId)).status).toBe(status)

export const ofType = <Type extends EventType>(events: readonly SessionEvent[], type: Type) =>
  events.filter((event): event is Extract<SessionEvent, { type: Type }> => event.type === type)

export const eventsOf = async <Type extends EventType>(runtime: TestRuntime, sessionId: SessionId, type: Type) =>
  ofType(await runtime.log(sessionId), type)

/** Waits for an approval and returns its id. */
export async function openApproval(runtime: TestRuntime, sessionId: SessionId) {
  await runtime.until(sessionId, 'waiting_approval')
  const [open] = (await stateOf(runtime, sessionId)).approvals
  if (open === undefined) throw new Error('no approval is open')
  return open.approvalId
}

export const answersOf = async (runtime: TestRuntime, sessionId: SessionId) =>
  (await eventsOf(runtime, sessionId, 'AgentThought')).map((event) => event.data.text)

/** The error code of a rejected promise. */
export const refusedWith = (work: Promise<unknown>, code: string) => expect(work).rejects.toMatchObject({ code })

export const runtimeOf = (script: Script) => openTestRuntime({ backend: createScriptedBackend({ script }) })

/** Returns the id of a session with this message. */
export async function startSession(runtime: TestRuntime, message = 'go'): Promise<SessionId> {
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message }, 'ana')
  return sessionId
}

export async function workingRuntime(script: Script = [[stall]]) {
  const runtime = await runtimeOf(script)
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one' }, 'ana')
  await expect.poll(async () => (await runtime.sessions.getSession(sessionId)).openTexts).toHaveLength(1)
  return { runtime, sessionId }
}
