// Nothing is held in memory for a session that has neither work nor a process, whichever way its process went.
import { expect, it, onTestFinished } from 'vitest'
import type { AgentSession } from '../backends/backend.ts'
import { createBus } from '../ports/bus.ts'
import { silentLogger } from '../ports/logger.ts'
import { randomIds } from '../ports/random-ids.ts'
import { createRedactor } from '../redaction/redact.ts'
import { occupy } from '../sessions/branches/while-resting.ts'
import { created, given } from '../sessions/rules/given-session.fixture.ts'
import { createHeldSessions } from '../sessions/state/held-sessions.ts'
import { createRunningSession, type OpenBackend } from '../sessions/state/running-session.ts'
import { createSubagentBound } from '../sessions/state/subagent-bound.ts'
import { createOpenTextWriter } from '../sessions/streaming/open-text-writer.ts'
import { createMemoryStore } from '../store/memory/create-memory-store.ts'
import { testAgent } from '../testing/agent-definition.fixture.ts'
import { createProcessManager } from './process-manager.ts'
import { processSettings } from './process-settings.ts'

const patient = { timeout: 60_000 }
const clock = { now: () => new Date() }

/** One session whose process is opened and ended as the test says; the house looks around every 20 ms. */
function openManager(session: Partial<AgentSession>) {
  const state = given(created())
  if (state === null) throw new Error('there is no session')
  const { sessionId, limits } = state
  const bus = createBus()
  const held = createHeldSessions()
  const store = createMemoryStore({ clock, ids: randomIds })
  const running = createRunningSession({
    sessionId,
    initial: state,
    store,
    bus,
    fencing: 1,
    redactor: createRedactor([]),
    onConflict: () => undefined,
    openTextWriter: createOpenTextWriter({ store, bus, windowMs: 25 }),
  })
  const backend: OpenBackend = {
    session: { warm: async () => undefined, close: async () => undefined, ...session } as AgentSession, // all it is asked
    subagents: createSubagentBound(1),
    isMetered: true,
    limits,
    turnTimeoutMs: null,
    model: () => state.model,
    hostTools: () => [],
    notifyEnded: async () => undefined,
  }
  const manager = createProcessManager({
    held,
    bus,
    clock,
    ids: randomIds,
    logger: silentLogger,
    settings: processSettings({ spares: false, stuckAfterMs: 80 }),
    loadAgent: async () => testAgent('/project'),
    openSpare: () => Promise.reject(new Error('none is kept here')),
    openBackend: async () => backend,
    onLeft: () => undefined,
    freeMemory: () => Number.MAX_SAFE_INTEGER,
  })
  onTestFinished(manager.stop)
  const wake = async () => {
    await manager.wake(running)
    await manager.processes.warm(running)
  }
  const retained = () => held.retained().length
  return { manager, running, wake, retained }
}

it('lets go of a session whose process was ended while it was rewound', async () => {
  const { manager, running, wake, retained } = openManager({})
  await wake()
  expect(retained()).toBe(1)
  await occupy(running, () => manager.end(running))
  await expect.poll(retained, patient).toBe(0)
})

it('lets go of a session that could not be woken', async () => {
  const { manager, wake, retained } = openManager({ warm: () => Promise.reject(new Error('no such program')) })
  await wake()
  await expect.poll(retained, patient).toBe(0)
  expect(manager.queue().processes.resident).toBe(0)
})

it('keeps a session whose process is on its way out: a house that closes waits for it', async () => {
  let gone: () => void = () => undefined
  const ending = new Promise<void>((resolve) => {
    gone = resolve
  })
  const { manager, running, wake, retained } = openManager({ close: () => ending })
  await wake()
  const ended = manager.end(running)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(retained()).toBe(1)
  gone()
  await ended
  await expect.poll(retained, patient).toBe(0)
})
