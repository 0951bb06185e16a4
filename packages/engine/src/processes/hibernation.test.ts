// A session without work and without a process is not held in memory, however its process ended.
import { expect, it, onTestFinished } from 'vitest'
import type { AgentSession } from '../backends/backend.ts'
import { silentLogger } from '../ports/logger.ts'
import { createRedactor } from '../redaction/redact.ts'
import { occupy } from '../sessions/branches/while-resting.ts'
import { createAgentProcesses } from '../sessions/launch/agent-processes.ts'
import { created, given } from '../sessions/rules/given-session.fixture.ts'
import { createHeldSessions } from '../sessions/state/held-sessions.ts'
import { createRunningSession } from '../sessions/state/running-session.ts'
import { createSubagentBound } from '../sessions/state/subagent-bound.ts'
import { createOpenTextWriter } from '../sessions/streaming/open-text-writer.ts'
import { createInProcessBus } from '../system/in-process-bus.ts'
import { randomIds } from '../system/random-ids.ts'
import { testAgent } from '../testing/agent-definition.fixture.ts'
import { openTestStore } from '../testing/test-store.fixture.ts'
import type { OpenBackend } from './agent-process.ts'
import { processSettings } from './process-settings.ts'

const patient = { timeout: 60_000 }
const clock = { now: () => new Date() }

/** One session whose process opens and ends as the test says. The manager ticks every 20 ms. */
async function openManager(session: Partial<AgentSession>) {
  const state = given(created())
  if (state === null) throw new Error('there is no session')
  const { sessionId, limits } = state
  const bus = createInProcessBus()
  const held = createHeldSessions()
  const store = await openTestStore()
  const running = createRunningSession({
    sessionId,
    initial: state,
    store,
    bus,
    fencing: 1,
    redactor: createRedactor([]),
    onConflict: () => undefined,
    openTextWriter: createOpenTextWriter({ store, bus }),
  })
  const backend: OpenBackend = {
    session: { warm: async () => undefined, close: async () => undefined, ...session } as AgentSession, // all that is called
    subagents: createSubagentBound(1),
    isMetered: true,
    limits,
    turnTimeoutMs: null,
    model: () => state.model,
    hostTools: () => [],
    notifyEnded: async () => undefined,
  }
  const manager = createAgentProcesses({
    held,
    bus,
    clock,
    ids: randomIds,
    logger: silentLogger,
    settings: processSettings({ spares: false, stuckAfterMs: 80 }),
    loadAgent: async () => testAgent('/project'),
    openSpare: () => Promise.reject(new Error('there are no spares')),
    openBackend: async () => backend,
    onLeft: () => undefined,
    freeMemory: () => Number.MAX_SAFE_INTEGER,
  })
  onTestFinished(manager.stop)
  const wake = async () => {
    await manager.wake(running)
    await manager.warm(running)
  }
  const retained = () => held.retained().length
  return { manager, running, wake, retained }
}

it('releases a session whose process ended during a rewind', async () => {
  const { manager, running, wake, retained } = await openManager({})
  await wake()
  expect(retained()).toBe(1)
  await occupy(running, () => manager.end(running))
  await expect.poll(retained, patient).toBe(0)
})

it('releases a session that could not be woken', async () => {
  const { manager, wake, retained } = await openManager({ warm: () => Promise.reject(new Error('no such program')) })
  await wake()
  await expect.poll(retained, patient).toBe(0)
  expect(manager.queue().processes.resident).toBe(0)
})

it('retains a session whose process is ending, so that a closing server waits for it', async () => {
  let gone: () => void = () => undefined
  const ending = new Promise<void>((resolve) => {
    gone = resolve
  })
  const { manager, running, wake, retained } = await openManager({ close: () => ending })
  await wake()
  const ended = manager.end(running)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(retained()).toBe(1)
  gone()
  await ended
  await expect.poll(retained, patient).toBe(0)
})
