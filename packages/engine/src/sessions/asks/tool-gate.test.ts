import { tmpdir } from 'node:os'
import { type ApprovalId, askIdOf } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { createCallHash } from '../../permissions/calls/call-hash.ts'
import { createPermissionCheck, type PermissionAnswer } from '../../permissions/permission-check.ts'
import { allSessionTools } from '../../permissions/tools/session-tools.ts'
import { silentLogger } from '../../ports/logger.ts'
import { createRedactor } from '../../redaction/redact.ts'
import { createInProcessBus } from '../../system/in-process-bus.ts'
import { randomIds } from '../../system/random-ids.ts'
import { claudeSettings } from '../../testing/agent-definition.fixture.ts'
import { openTestStore } from '../../testing/test-store.fixture.ts'
import { end, given, running } from '../rules/given-session.fixture.ts'
import { createAskWaiters } from '../state/ask-waiters.ts'
import { createSessionWriter, type SessionWriter } from '../state/session-writer.ts'
import { createSubagentBound } from '../state/subagent-bound.ts'
import { createToolGate, type ToolGateOptions, type UnattendedCall } from './tool-gate.ts'

const never = new AbortController().signal
const call = { toolName: 'Bash', toolInput: { command: 'ls' }, toolUseId: 't', agent: null }

const clock = { now: () => new Date() }
const redactor = createRedactor([])

async function newWriter(initial = given(...running)): Promise<SessionWriter> {
  if (initial === null) throw new Error('no session')
  const { sessionId } = initial
  const bus = createInProcessBus()
  const store = await openTestStore()
  return createSessionWriter({ sessionId, initial, store, bus, redactor, fencing: 1, onConflict() {} })
}

async function openGate(change: Partial<ToolGateOptions>) {
  return createToolGate({
    writer: await newWriter(),
    redactor,
    hashCall: createCallHash(Buffer.from('made-up')),
    clock,
    ids: randomIds,
    logger: silentLogger,
    canAsk: true,
    onUnattended: () => undefined,
    expiresAfterMs: null,
    waiters: createAskWaiters({
      onWait: () => undefined,
      onAnswer: () => undefined,
      over: async () => undefined,
      isStopping: () => false,
    }),
    permissions: createPermissionCheck({
      sessionTools: allSessionTools,
      claude: claudeSettings(tmpdir()),
      cwd: '/',
      approvals: { allow: [{ tool: 'Bash', pattern: null }], deny: [], expiresAfterMs: null },
      hiddenPaths: [],
    }),
    trust: { changeOf: async () => null, snapshot: () => async () => undefined },
    subagents: createSubagentBound(1),
    ...change,
  })
}

it('denies a call when its own check fails', async () => {
  const broken = (): never => {
    throw new Error('broken')
  }
  const gate = await openGate({ permissions: { check: async () => broken(), askAnyway: broken } })
  expect(await gate.check(call)).toMatchObject({ type: 'deny' })
  expect(await gate.ask(call, never)).toMatchObject({ type: 'deny' })
})

it('denies a call that arrives after its turn, and logs no error', async () => {
  const errors: string[] = []
  const logger = { ...silentLogger, error: (_: unknown, message: string) => void errors.push(message) }
  const gate = await openGate({ writer: await newWriter(given(...running, end('completed'))), logger })
  expect(await gate.ask(call, never, 'a hook is careful')).toMatchObject({ type: 'deny' })
  expect(errors).toEqual([])
})

it('asks a person about an allowed call only when a reason is given', async () => {
  const unattended: UnattendedCall[] = []
  const gate = await openGate({ canAsk: false, onUnattended: (denied) => void unattended.push(denied) })
  expect(await gate.ask(call, never)).toMatchObject({ type: 'allow' })
  expect(unattended).toEqual([])
  expect(await gate.ask(call, never, 'a hook is careful')).toMatchObject({
    type: 'deny',
    message: expect.stringContaining('no person can be asked here'),
  })
  expect(unattended).toMatchObject([{ toolName: call.toolName, toolInput: call.toolInput }])
})

describe('a call that a person allows', () => {
  const claude = claudeSettings(tmpdir())
  const approvals = { allow: [], deny: [], expiresAfterMs: null }
  const permissions = createPermissionCheck({
    sessionTools: allSessionTools,
    claude,
    cwd: '/',
    approvals,
    hiddenPaths: [],
  })
  const unreported = { type: 'decision', approvalId: 'apr_1' as ApprovalId, isAllowed: true, note: null } as const

  /** `onDecided` runs after the answer is received and before the call is let through. */
  async function allowed(onDecided: (stop: () => void) => PermissionAnswer | null) {
    let isStopping = false
    let checks = 0
    const stop = () => {
      isStopping = true
    }
    const waiters = createAskWaiters({
      onWait: () => undefined,
      onAnswer: () => undefined,
      over: async () => undefined,
      isStopping: () => isStopping,
    })
    /** A person allows the call as soon as it is asked for. */
    const answerAtOnce: SessionWriter['apply'] = async (command) => {
      if (typeof command === 'function' || command.type !== 'ask.request') return []
      const id = askIdOf(command.asked.data)
      waiters.claim(id)
      waiters.answer(id, { type: 'allow', input: null }, { ...unreported, ...call })
      return []
    }
    const gate = await openGate({
      writer: { ...(await newWriter()), apply: answerAtOnce },
      waiters,
      permissions: {
        ...permissions,
        async check(...asked) {
          checks += 1
          return (checks > 1 ? onDecided(stop) : null) ?? permissions.check(...asked)
        },
      },
    })
    const verdict = await gate.ask(call, never)
    return { verdict, waiters }
  }

  it('is let through, and its outcome is unknown until it has a result', async () => {
    const { verdict, waiters } = await allowed(() => null)
    expect(verdict).toMatchObject({ type: 'allow' })
    expect(waiters.missed()).toMatchObject([{ ...unreported, mayHaveRun: true }])
  })

  it('does not run when its turn is stopped a moment before: the answer counts as missed and unused', async () => {
    const { verdict, waiters } = await allowed((stop) => {
      stop()
      return null
    })
    expect(verdict).toMatchObject({ type: 'deny' })
    expect(waiters.missed()).toEqual([{ ...unreported, ...call }])
  })

  it('is checked again by the current rules', async () => {
    const { verdict, waiters } = await allowed(() => ({ type: 'deny', message: 'not any more', rule: 'new' }))
    expect(verdict).toEqual({ type: 'deny', message: 'not any more', rule: 'new' })
    expect(waiters.missed()).toEqual([])
  })
})
