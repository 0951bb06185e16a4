import { expect, it } from 'vitest'
import { createBus } from '../bus.ts'
import { randomIds } from '../random-ids.ts'
import { createRedactor } from '../redaction/redact.ts'
import { createMemoryStore } from '../store/memory/create-memory-store.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { createApprovalWaiters } from './approval-waiters.ts'
import { created, given } from './given-session.fixture.ts'
import { createSessionWriter } from './session-writer.ts'
import { createSubagentBound } from './subagent-bound.ts'
import { createToolGate } from './tool-gate.ts'

it('denies when its own check fails: nothing runs because something broke', async () => {
  const clock = { now: () => new Date() }
  const redactor = createRedactor([])
  const initial = given(created())
  if (initial === null) throw new Error('no session')
  const store = createMemoryStore({ clock, ids: randomIds })
  const gate = createToolGate({
    writer: createSessionWriter({ sessionId: initial.sessionId, initial, store, bus: createBus(), redactor }),
    waiters: createApprovalWaiters({ onWait: () => undefined, onAnswer: () => undefined }),
    permissions: { check: () => Promise.reject(new Error('broken')) },
    canAsk: true,
    expiresAfterMs: null,
    onRequested: () => undefined,
    subagents: createSubagentBound(1),
    redactor,
    clock,
    ids: randomIds,
    logger: silentLogger,
  })
  const call = { toolName: 'Bash', toolInput: { command: 'ls' }, toolUseId: 't', agent: null }
  expect(await gate.check(call)).toMatchObject({ type: 'deny' })
  expect(await gate.ask(call, new AbortController().signal)).toMatchObject({ type: 'deny' })
})
