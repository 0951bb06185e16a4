// Nothing is held in memory for a session that has neither work nor a process, whichever way its process went.
import { expect, it, onTestFinished } from 'vitest'
import { testAgent } from '../agent-definition.fixture.ts'
import type { AgentSession } from '../backends/backend.ts'
import { createBus } from '../bus.ts'
import { randomIds } from '../random-ids.ts'
import { createRedactor } from '../redaction/redact.ts'
import { created, given } from '../sessions/given-session.fixture.ts'
import { createHeldSessions } from '../sessions/held-sessions.ts'
import { createLiveSession, type OpenBackend } from '../sessions/live-session.ts'
import { createSubagentBound } from '../sessions/subagent-bound.ts'
import { createTextDesk } from '../sessions/text-desk.ts'
import { occupy } from '../sessions/while-resting.ts'
import { createMemoryStore } from '../store/memory/create-memory-store.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { createProcessHouse } from './process-house.ts'
import { processSettings } from './process-settings.ts'

const patient = { timeout: 60_000 }
const clock = { now: () => new Date() }

/** One session whose process is opened and ended as the test says; the house looks around every 20 ms. */
function openHouse(session: Partial<AgentSession>) {
  const state = given(created())
  if (state === null) throw new Error('there is no session')
  const { sessionId, limits } = state
  const bus = createBus()
  const held = createHeldSessions()
  const store = createMemoryStore({ clock, ids: randomIds })
  const live = createLiveSession({
    ...{ sessionId, initial: state, store, bus, fencing: 1, redactor: createRedactor([]), onConflict: () => undefined },
    desk: createTextDesk({ store, bus, windowMs: 25 }),
  })
  const backend: OpenBackend = {
    session: { warm: async () => undefined, close: async () => undefined, ...session } as AgentSession, // all it is asked
    ...{ subagents: createSubagentBound(1), isMetered: true, limits, turnTimeoutMs: null },
    model: () => state.model,
    hostTools: () => [],
    tellEnded: async () => undefined,
  }
  const house = createProcessHouse({
    ...{ held, bus, clock, ids: randomIds, logger: silentLogger },
    settings: processSettings({ spares: false, stuckAfterMs: 80 }),
    loadAgent: async () => testAgent('/project'),
    openSpare: () => Promise.reject(new Error('none is kept here')),
    openBackend: async () => backend,
    onLeft: () => undefined,
    freeMemory: () => Number.MAX_SAFE_INTEGER,
  })
  onTestFinished(house.stop)
  const wake = async () => {
    await house.wake(live)
    await house.processes.warm(live)
  }
  const kept = () => held.kept().length
  return { house, live, wake, kept }
}

it('lets go of a session whose process was ended while it was rewound', async () => {
  const { house, live, wake, kept } = openHouse({})
  await wake()
  expect(kept()).toBe(1)
  await occupy(live, () => house.end(live))
  await expect.poll(kept, patient).toBe(0)
})

it('lets go of a session that could not be woken', async () => {
  const { house, wake, kept } = openHouse({ warm: () => Promise.reject(new Error('no such program')) })
  await wake()
  await expect.poll(kept, patient).toBe(0)
  expect(house.queue().processes.resident).toBe(0)
})

it('keeps a session whose process is on its way out: a house that closes waits for it', async () => {
  let gone: () => void = () => undefined
  const ending = new Promise<void>((resolve) => {
    gone = resolve
  })
  const { house, live, wake, kept } = openHouse({ close: () => ending })
  await wake()
  const ended = house.end(live)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(kept()).toBe(1)
  gone()
  await ended
  await expect.poll(kept, patient).toBe(0)
})
