import { expect, it } from 'vitest'
import { claudeSettings } from '../agent-definition.fixture.ts'
import { createBus } from '../bus.ts'
import { randomIds } from '../random-ids.ts'
import { createRedactor } from '../redaction/redact.ts'
import { createMemoryStore } from '../store/memory/create-memory-store.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { createCallHash } from '../tools/call-hash.ts'
import { createPermissionCheck } from '../tools/permission-check.ts'
import { given, running } from './given-session.fixture.ts'
import { createSessionWriter } from './session-writer.ts'
import { createSubagentBound } from './subagent-bound.ts'
import { createToolGate, type ToolGateOptions } from './tool-gate.ts'
import { createApprovalWaiters } from './waiters-by-kind.ts'

const never = new AbortController().signal
const call = { toolName: 'Bash', toolInput: { command: 'ls' }, toolUseId: 't', agent: null }

function openGate(change: Partial<ToolGateOptions>) {
  const clock = { now: () => new Date() }
  const redactor = createRedactor([])
  const initial = given(...running)
  if (initial === null) throw new Error('no session')
  const { sessionId } = initial
  const bus = createBus()
  const store = createMemoryStore({ clock, ids: randomIds })
  const writer = createSessionWriter({ ...{ sessionId, initial, store, bus, redactor }, fencing: 1, onConflict() {} })
  return createToolGate({
    ...{
      writer,
      redactor,
      hashCall: createCallHash(Buffer.from('made-up')),
      clock,
      ids: randomIds,
      logger: silentLogger,
      canAsk: true,
      expiresAfterMs: null,
    },
    waiters: createApprovalWaiters({
      onWait: () => undefined,
      onAnswer: () => undefined,
      over: async () => undefined,
      isStopping: () => false,
    }),
    permissions: createPermissionCheck({
      claude: claudeSettings('/'),
      cwd: '/',
      approvals: { allow: [{ tool: 'Bash', pattern: null }], deny: [], expiresAfterMs: null },
      hiddenPaths: [],
    }),
    onRequested: () => undefined,
    subagents: createSubagentBound(1),
    ...change,
  })
}

it('denies when its own check fails: nothing runs because something broke', async () => {
  const broken = (): never => {
    throw new Error('broken')
  }
  const gate = openGate({ permissions: { check: async () => broken(), askAnyway: broken } })
  expect(await gate.check(call)).toMatchObject({ type: 'deny' })
  expect(await gate.ask(call, never)).toMatchObject({ type: 'deny' })
})

it('asks a person for a call the rules let through only when somebody wants that', async () => {
  const gate = openGate({ canAsk: false })
  expect(await gate.ask(call, never)).toMatchObject({ type: 'allow' })
  expect(await gate.ask(call, never, 'a hook is careful')).toMatchObject({
    type: 'deny',
    message: expect.stringContaining('nobody can be asked here'),
  })
})
