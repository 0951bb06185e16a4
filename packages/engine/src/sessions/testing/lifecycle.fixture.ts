// Test support: what the tests of a session's life ask again and again.
import type { EventType, SessionEvent, SessionId, SessionStatus } from '@quarterdeck/protocol'
import { expect } from 'vitest'
import type { Step } from '../../backends/scripted/script.ts'
import type { openTestRuntime } from './test-runtime.fixture.ts'

export type TestRuntime = Awaited<ReturnType<typeof openTestRuntime>>

export const textStep = (...chunks: string[]): Step => ({ type: 'text', chunks })
export const stall: Step = { type: 'stall', chunks: ['working'] }
export const ls: Step = { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'notes.txt' }

export const stateOf = async (runtime: TestRuntime, sessionId: SessionId) =>
  (await runtime.sessions.snapshot(sessionId)).session

/** Waits until the session is there now, whatever it was before. */
export const rests = (runtime: TestRuntime, sessionId: SessionId, status: SessionStatus) =>
  expect.poll(async () => (await stateOf(runtime, sessionId)).status).toBe(status)

export async function eventsOf<Type extends EventType>(runtime: TestRuntime, sessionId: SessionId, type: Type) {
  const log = await runtime.log(sessionId)
  return log.filter((event): event is Extract<SessionEvent, { type: Type }> => event.type === type)
}

export const answersOf = async (runtime: TestRuntime, sessionId: SessionId) =>
  (await eventsOf(runtime, sessionId, 'AgentThought')).map((event) => event.data.text)

/** The code a promise is refused with. */
export const refusedWith = (work: Promise<unknown>, code: string) => expect(work).rejects.toMatchObject({ code })
