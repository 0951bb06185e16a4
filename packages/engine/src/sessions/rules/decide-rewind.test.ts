import { type ApprovalId, type Command, draft } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { decide } from './decide.ts'
import { allow as allowed, answerAsk, requestApproval } from './given-asks.fixture.ts'
import {
  close,
  created,
  end,
  type GivenStep,
  given,
  interrupt,
  messageId,
  pause,
  refusal,
  running,
  send,
  statusAfter,
  types,
} from './given-session.fixture.ts'

const approvalId = (number = 1) => `apr_00000${number}` as ApprovalId // a literal that matches the id's shape
const ask = (number = 1): Command => requestApproval(approvalId(number))
const allow = answerAsk(approvalId(), allowed, { isLive: false, wakeMessageId: messageId(7) })
const paused = [...running, pause, end('interrupted')] as const

describe('rewind', () => {
  const rewind = (seq: number): Command => ({
    type: 'session.rewind',
    messageId: messageId(1),
    seq,
    backendSessionId: 'earlier',
    by: 'ana',
    wakeMessageId: messageId(6),
  })

  it('replaces the unsaved messages by those before the forgotten part', () => {
    const cut = end('interrupted', { keepsAsks: true })
    const shown = draft('AgentStreamDiscarded', { messageId: 'm1', text: 'I was say', reason: 'interrupted' })
    const steps = [...running, shown, cut] as const
    const earlier = { messageId: messageId(8), content: 'before', by: 'ana', at: '2026-01-01T00:00:00Z' }
    expect(given(...steps)).toMatchObject({ unsaved: [{ messageId: messageId(1) }] })
    expect(given(...steps, rewind(3))).toMatchObject({ unsaved: [] })
    const withEarlier = { ...rewind(3), unsaved: [earlier] } as Command
    expect(given(...steps, withEarlier)).toMatchObject({ unsaved: [{ ...earlier, origin: 'user' }] })
  })

  it.each([
    ['idle', [...running, end('completed')]],
    ['failed', [...running, end('failed')]],
    ['interrupted', [...running, interrupt, end('interrupted')]],
    ['stopped_turns', [...running, end('turn_limit')]],
    ['context_exhausted', [...running, end('failed', { reason: 'Prompt is too long' })]],
  ] as const)('leaves a session that was %s idle', (status, steps: readonly GivenStep[]) => {
    expect(statusAfter(...steps)).toBe(status)
    expect(given(...steps, rewind(3))).toMatchObject({ status: 'idle', backendSessionId: 'earlier', wasCutOff: false })
  })

  it('expires the asks of the forgotten part, and no others', () => {
    const asked = [...running, ask(), end('crashed', { keepsAsks: true })]
    const seq = given(...asked)?.approvals[0]?.seq ?? 0
    expect(given(...asked, rewind(seq - 1))).toMatchObject({ status: 'idle', approvals: [] })
    expect(given(...asked, rewind(seq + 1))).toMatchObject({ status: 'waiting_approval', approvals: [{ seq }] })
  })

  it('forgets the answers to the forgotten part: they are neither reported nor used', () => {
    const asked = [...running, ask(), pause, end('interrupted')]
    const seq = given(...asked)?.approvals[0]?.seq ?? 0
    const answered = [...asked, allow]
    expect(given(...answered)).toMatchObject({
      grants: [{ seq }],
      unreported: [{ seq }],
      queued: [{ origin: 'engine' }],
    })
    const forgotten = { status: 'paused', grants: [], unreported: [], queued: [] }
    expect(given(...answered, rewind(seq - 1))).toMatchObject(forgotten)
    expect(types(decide(given(...answered), rewind(seq - 1)))).toContain('ApprovalUnused')
    const known = { status: 'paused', grants: [{ seq }], unreported: [{ seq }], queued: [{ messageId: messageId(6) }] }
    expect(given(...answered, rewind(seq + 1))).toMatchObject(known)
  })

  it("rests when only the engine's message about forgotten work was queued", () => {
    const answered = [...running, ask(), end('crashed', { keepsAsks: true }), allow]
    expect(statusAfter(...answered)).toBe('queued')
    expect(given(...answered, rewind(3))).toMatchObject({ status: 'idle', queued: [] })
    expect(given(...answered, send(2), rewind(3))).toMatchObject({ status: 'queued', queued: [{ origin: 'user' }] })
  })

  it('reports earlier answers once no ask is open', () => {
    const both = [...running, ask(1), ask(2), end('crashed', { keepsAsks: true }), allow]
    const [first] = given(...both)?.unreported ?? []
    expect(statusAfter(...both)).toBe('waiting_approval')
    expect(given(...both, rewind((first?.seq ?? 0) + 1))).toMatchObject({
      status: 'queued',
      approvals: [],
      unreported: [first],
      queued: [{ messageId: messageId(6), origin: 'engine' }],
    })
  })

  it('forgets every ask whose position an old log does not record', () => {
    const answered = [...running, ask(), pause, end('interrupted'), allow]
    const old = draft('AgentSessionRewound', { messageId: messageId(1), backendSessionId: null, by: 'ana' })
    expect(given(...answered, old)).toMatchObject({ grants: [], unreported: [] })
  })

  it('keeps queued messages and a pause', () => {
    expect(given(...paused, send(2), rewind(3))).toMatchObject({ status: 'paused', queued: [{ content: 'message 2' }] })
    expect(statusAfter(...running, end('completed'), send(2), rewind(3))).toBe('queued')
  })

  it('is refused while a turn runs and once the session is closed', () => {
    expect(refusal(running, rewind(3))).toBe('session.busy')
    expect(refusal([created(), close], rewind(3))).toBe('session.closed')
  })
})
