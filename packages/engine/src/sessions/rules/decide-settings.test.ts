import { type ChangeSettings, type Command, draft, type Limits } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { decide } from './decide.ts'
import {
  cancel,
  close,
  created,
  end,
  given,
  interrupt,
  messageId,
  pause,
  refusal,
  running,
  send,
  start,
  statusAfter,
  types,
} from './given-session.fixture.ts'

const change = (what: Partial<ChangeSettings>): Command => ({
  type: 'session.change',
  continueMessageId: messageId(8),
  by: 'ben',
  ...what,
})

const limits: Limits = { maxTurns: 50, maxBudgetUsd: 5, maxDurationMs: 3_600_000 }

describe('settings', () => {
  it.each([
    ['ModelChanged', { model: 'auto' }],
    ['PermissionModeChanged', { permissionMode: 'plan' }],
    ['ThinkingChanged', { thinking: { budgetTokens: 2000 } }],
    ['AgentSessionDetailsChanged', { title: 'New' }],
    ['AgentSessionDetailsChanged', { tags: ['a'] }],
    ['AgentSessionDetailsChanged', { isArchived: true }],
    ['BudgetChanged', { limits: { ...limits, maxTurns: 9 } }],
  ] as const)('records %s once, even for a running session: %o', (type, wanted) => {
    const command = change(wanted)
    expect(types(decide(given(...running), command))).toEqual([type])
    expect(given(...running, command)).toMatchObject({ ...wanted, status: 'running' })
    expect(decide(given(...running, command), command)).toEqual([])
  })

  it('changes several settings together', () => {
    const both = change({ title: 'New', tags: ['a'], thinking: null, model: 'auto' })
    expect(types(decide(given(created()), both))).toEqual(['ModelChanged', 'AgentSessionDetailsChanged'])
  })

  it('records only the settings that changed', () => {
    const [details] = decide(given(created()), change({ title: 'New', tags: [] }))
    expect(details?.data).toEqual({ title: 'New', by: 'ben' })
  })

  it('refuses changes to the work of a closed session and accepts changes to its details', () => {
    for (const closing of [close, cancel]) {
      expect(given(created(), closing, change({ title: 'Old', tags: ['done'], isArchived: true }))).toMatchObject({
        title: 'Old',
        tags: ['done'],
        isArchived: true,
      })
      expect(refusal([created(), closing], change({ model: 'auto' }))).toBe('session.closed')
      expect(refusal([created(), closing], change({ permissionMode: 'plan' }))).toBe('session.closed')
      expect(refusal([created(), closing], change({ thinking: { budgetTokens: 1 } }))).toBe('session.closed')
      expect(refusal([created(), closing], change({ limits: { ...limits, maxTurns: 1 } }))).toBe('session.closed')
    }
  })
})

describe('a raised limit', () => {
  const spent = draft('UsageRecorded', {
    requestId: 'r',
    apiMessageId: 'm',
    model: 'x',
    servedModel: 'x',
    tokens: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    costUsd: 5,
    source: 'gateway',
  })
  const broke = [...running, spent, end('budget_limit')] as const
  const raise = change({ limits: { ...limits, maxBudgetUsd: 10 } })

  it('continues a session that ran out of money in the middle of a turn', () => {
    expect(statusAfter(...broke)).toBe('stopped_budget')
    const state = given(...broke, raise)
    expect(state).toMatchObject({ status: 'queued', queued: [{ origin: 'engine', messageId: messageId(8) }] })
    expect(types(decide(state, start))).toContain('TurnStarted')
  })

  it('continues with the message that was refused for lack of money', () => {
    const refused = [...running, spent, end('completed'), send(2), start]
    expect(statusAfter(...refused)).toBe('stopped_budget')
    expect(given(...refused, raise)).toMatchObject({ status: 'queued', queued: [{ messageId: messageId(2) }] })
  })

  it('changes nothing else while it is too low', () => {
    expect(statusAfter(...broke, change({ limits: { ...limits, maxBudgetUsd: 5 } }))).toBe('stopped_budget')
    expect(statusAfter(...broke, change({ limits: { ...limits, maxTurns: 99 } }))).toBe('stopped_budget')
    expect(statusAfter(...broke, change({ limits: { ...limits, maxBudgetUsd: 4 } }))).toBe('stopped_budget')
  })

  it('only counts when it is higher, and does not continue a session that another budget stopped', () => {
    const stopped = [...running, end('budget_limit')]
    expect(statusAfter(...stopped, change({ limits: { ...limits, maxBudgetUsd: 4 } }))).toBe('stopped_budget')
  })

  it('continues a session that ran out of turns', () => {
    const out = [...running, end('turn_limit')]
    expect(statusAfter(...out, change({ limits: { ...limits, maxTurns: 99 } }))).toBe('queued')
    expect(statusAfter(...out, change({ limits: { ...limits, maxTurns: 9 } }))).toBe('stopped_turns')
  })

  const short = change({ limits: { ...limits, maxDurationMs: 10 } })
  const longer = change({ limits: { ...limits, maxDurationMs: 11 } })

  it('continues with the message that was refused for lack of time, because it was not delivered', () => {
    const late = [...running, end('completed'), short, send(2), start]
    const waiting = { queued: [{ messageId: messageId(2) }] }
    expect(given(...late)).toMatchObject({ status: 'failed', turn: null, ...waiting })
    expect(given(...late, longer)).toMatchObject({ status: 'queued', ...waiting })
    expect(statusAfter(...late, change({ limits: { ...limits, maxDurationMs: 9 } }))).toBe('failed')
  })

  it('of time starts nothing that failed for another reason', () => {
    expect(statusAfter(...running, short, end('failed'), longer)).toBe('failed')
    expect(statusAfter(...running, end('crashed'), longer)).toBe('failed')
  })

  it.each([
    ['turn_limit', { maxTurns: 9 }],
    ['budget_limit', { maxBudgetUsd: 1 }],
    ['timeout', { maxDurationMs: 9 }],
  ] as const)('continues a turn that ended as %s at the previous limit', (outcome, heldTo) => {
    const raised = given(...running, end(outcome, { heldTo }))
    expect(raised).toMatchObject({ status: 'queued', queued: [{ origin: 'engine' }], lastError: null })
    expect(statusAfter(...running, end(outcome, { heldTo: limits }))).not.toBe('queued')
  })

  it('does not lift an interrupt of the turn that reached the limit', () => {
    expect(statusAfter(...running, interrupt, end('turn_limit', { heldTo: { maxTurns: 9 } }))).toBe('stopped_turns')
  })

  it('does not lift the stop of another budget', () => {
    const stop = { budget: 'everybody per day', message: 'budget limit reached' }
    expect(statusAfter(...running, end('budget_limit', { stop, heldTo: { maxBudgetUsd: 1 } }))).toBe('stopped_budget')
  })

  it('does not lift a pause', () => {
    expect(statusAfter(...running, spent, pause, end('budget_limit'), raise)).toBe('paused')
  })
})
