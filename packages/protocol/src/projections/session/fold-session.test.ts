import { describe, expect, it } from 'vitest'
import { draft, isDurable } from '../../events/session-event.ts'
import { BudgetId, QuestionId } from '../../values/ids.ts'
import type { SessionStatus } from '../../values/session-status.ts'
import {
  approvalId,
  created,
  createRandom,
  cut,
  decided,
  delivered,
  executed,
  invoked,
  logOf,
  messageId,
  queued,
  randomLog,
  recovered,
  requested,
  thought,
  turnEnded,
  turnId,
  turnStarted,
  used,
} from '../sample-log.fixture.ts'
import { foldSession } from './fold-session.ts'
import { isOutOfOwnMoney, SessionState } from './session-state.ts'

const after = (...drafts: Parameters<typeof logOf>[0]) => {
  const state = foldSession(null, logOf([created, ...drafts]))
  if (state === null) throw new Error('no session')
  return SessionState.parse(state)
}

describe('foldSession', () => {
  it('is null before the first event', () => {
    expect(foldSession(null, [])).toBeNull()
    expect(foldSession(null, logOf([queued(1)]))).toBeNull()
  })

  it('starts idle with the values of its creation', () => {
    expect(after()).toMatchObject({ status: 'idle', agentName: 'coder', seq: 1, title: '', costUsd: 0, queued: [] })
  })

  it('updates seq and time with every event, even unknown ones', () => {
    const state = after(draft('SecurityNoticed', { code: 'x', sentence: 'y' }))
    expect(state.seq).toBe(2)
    expect(state.updatedAt > state.createdAt).toBe(true)
  })

  it('changes its status only by AgentSessionStatusChanged', () => {
    expect(after(turnStarted(1)).status).toBe('idle')
    const moved = after(draft('AgentSessionStatusChanged', { from: 'idle', to: 'running', reason: 'a message' }))
    expect(moved).toMatchObject({ status: 'running', statusReason: 'a message' })
  })

  it('keeps queued messages until they are delivered, and takes its title from the first', () => {
    const state = after(queued(1, 'Fix the test\nplease'), queued(2), delivered(1))
    expect(state.title).toBe('Fix the test')
    expect(state.queued.map((message) => message.messageId)).toEqual([messageId(2)])
    expect(state.recentMessages).toEqual([messageId(1), messageId(2)])
  })

  it('keeps messages that were passed into the running turn until that is over', () => {
    const own = draft('TurnStarted', { messageIds: [messageId(1)], model: 'm' }, { turnId: turnId(1) })
    const steered = [queued(1), queued(2), own, delivered(1), delivered(2)]
    expect(after(...steered).steered).toMatchObject([{ messageId: messageId(2), content: 'message 2' }])
    expect(after(...steered, turnEnded(1)).steered).toEqual([])
    expect(after(queued(1), delivered(1)).steered).toEqual([])
  })

  it('truncates a long title', () => {
    expect(after(queued(1, 'x'.repeat(500))).title).toHaveLength(120)
  })

  it.each([
    ['leaves 120 characters whole, however they are stored', '🎈'.repeat(120), '🎈'.repeat(120)],
    ['says that it cut the 121st', '🎈'.repeat(121), `${'🎈'.repeat(119)}…`],
    ['cuts between characters, not inside one', `x${'🎈'.repeat(500)}`, `x${'🎈'.repeat(118)}…`],
  ])('%s', (_, content, title) => {
    expect(after(queued(1, content)).title).toBe(title)
  })

  it('knows its current turn and sums the totals of turns', () => {
    expect(after(turnStarted(1)).turn?.turnId).toBe(turnId(1))
    const state = after(turnStarted(1), turnEnded(1), turnStarted(2), turnEnded(2, 'second'))
    expect(state).toMatchObject({ turn: null, numTurns: 4, durationMs: 200, lastResult: 'second', activity: 'second' })
    expect(state.modelUsage['claude-sonnet-4-6']).toMatchObject({ inputTokens: 2, outputTokens: 2 })
  })

  it('knows the running tools, even two at once, and removes them with the turn', () => {
    const open = (...drafts: Parameters<typeof logOf>[0]) => after(...drafts).openTools.map((tool) => tool.toolUseId)
    expect(open(invoked('a'), invoked('b'), executed('a'))).toEqual(['b'])
    expect(open(invoked('a'), turnEnded(1))).toEqual([])
    expect(open(invoked('a'), recovered)).toEqual([])
  })

  it('keeps an open approval until it is decided', () => {
    expect(after(requested(1)).approvals).toMatchObject([{ approvalId: approvalId(1), seq: 2, toolName: 'Bash' }])
    const state = after(requested(1), requested(2), decided(1))
    expect(state.approvals.map((approval) => approval.approvalId)).toEqual([approvalId(2)])
    expect(state.decided).toMatchObject([{ approvalId: approvalId(1), decision: 'allow', by: 'ada' }])
    expect(state).toMatchObject({ grants: [], unreported: [], rules: [] })
  })

  it('keeps an answer in use until its call has a result, or until the turn ends', () => {
    const given = [turnStarted(1), requested(1), decided(1)] as const
    expect(after(...given).answersInUse).toMatchObject([{ report: { approvalId: approvalId(1), isAllowed: true } }])
    expect(after(...given, turnEnded(1)).answersInUse).toEqual([])
    const [report] = after(...given).answersInUse.map((one) => one.report)
    if (report === undefined) throw new Error('nothing is in use')
    const missed = after(...given, draft('AnswerMissed', { answer: report }))
    expect(missed).toMatchObject({ answersInUse: [], unreported: [{ approvalId: approvalId(1) }] })
    const denied = decided(1, { decision: 'deny', toolInput: null })
    expect(after(turnStarted(1), requested(1), denied).answersInUse).toEqual([])
  })

  it('keeps an answer to an MCP server in use until no call is open', () => {
    const questionId = QuestionId.parse('qst_000001')
    const form = { message: 'Sure?', items: [], schema: null, url: null, expiresAt: null }
    const asked = draft('QuestionAsked', { questionId, source: 'mcp', server: 'db', toolUseId: null, ...form })
    const answered = draft('QuestionAnswered', { questionId, answers: {}, note: null, by: 'ada', wasLive: true })
    const given = [turnStarted(1), invoked('a'), invoked('b'), asked, answered] as const
    expect(after(...given, executed('a'), thought('Hm.', 'm')).answersInUse).toHaveLength(1)
    expect(after(...given, executed('a'), executed('b'), thought('Hm.', 'm')).answersInUse).toEqual([])
  })

  it('adds the rule of an approval for the whole session', () => {
    const rule = { tool: 'Bash', pattern: 'ls' }
    expect(after(requested(1), decided(1, { decision: 'allow_session', rule })).rules).toEqual([rule])
  })

  it('grants a call once when no process waited for the decision, with the edited input', () => {
    const edited = { toolInput: { command: 'ls -a' }, edited: true, wasLive: false }
    const state = after(requested(1), decided(1, edited))
    expect(state.grants).toEqual([
      { approvalId: approvalId(1), seq: 2, toolName: 'Bash', toolInput: { command: 'ls -a' } },
    ])
    expect(state.unreported).toMatchObject([{ isAllowed: true }])
    const use = draft('ApprovalUsed', { approvalId: approvalId(1), toolUseId: 'again' })
    expect(after(requested(1), decided(1, edited), use).grants).toEqual([])
    const unused = draft('ApprovalUnused', { approvalId: approvalId(1) })
    expect(after(requested(1), decided(1, edited), unused).grants).toEqual([])
  })

  it('grants nothing on a denial and nothing for an unknown approval', () => {
    const denied = { decision: 'deny', toolInput: null, wasLive: false } as const
    expect(after(requested(1), decided(1, denied))).toMatchObject({ grants: [], unreported: [{ isAllowed: false }] })
    expect(after(decided(7, { wasLive: false })).grants).toEqual([])
  })

  it('settles an expired approval', () => {
    const state = after(requested(1), draft('ApprovalExpired', { approvalId: approvalId(1) }))
    expect(state).toMatchObject({ approvals: [], decided: [{ decision: 'expired', by: 'clock' }] })
  })

  it('sums money and tokens, and reports a missing price', () => {
    const state = after(used('a', 0.5), used('b', null))
    expect(state).toMatchObject({
      costUsd: 0.5,
      hasUnpricedUsage: true,
      tokens: { input: 20, output: 10, cacheRead: 4 },
    })
  })

  it('shows the last activity', () => {
    expect(after(invoked('a')).activity).toBe('Uses Bash')
    expect(after(requested(1)).activity).toBe('Wants to use Bash')
    expect(after(thought('First.\nSecond.', 'm')).activity).toBe('First.')
    const failed = after(draft('AgentSessionFailed', { errors: ['a', 'b'], reason: 'timeout exceeded' }))
    expect(failed).toMatchObject({ lastError: 'a; b', activity: 'timeout exceeded' })
  })

  it('does not change the given state', () => {
    const before = after(queued(1), requested(1))
    const frozen = structuredClone(before)
    foldSession(before, logOf([delivered(1), decided(1), used('a'), turnEnded(1)], 4))
    expect(before).toEqual(frozen)
  })

  it('computes the same state however the log is split into batches', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const log = randomLog(seed, 200).filter(isDurable)
      const whole = foldSession(null, log)
      const pieces = cut(log, createRandom(seed)).reduce(foldSession, null as SessionState | null)
      expect(pieces).toEqual(whole)
      expect(() => SessionState.parse(whole)).not.toThrow()
    }
  })
})

const endedAs = (outcome: 'completed' | 'failed' | 'crashed' | 'interrupted') => {
  const ended = turnEnded(1)
  return { ...ended, data: { ...ended.data, outcome } } as typeof ended
}

it('counts the turns that failed in a row, however long they were', () => {
  const long = Array.from({ length: 1200 }, (_, index) => thought('hm', `msg_${index}`))
  expect(after(turnStarted(1), endedAs('failed'), turnStarted(1), ...long, endedAs('crashed')).failedTurns).toBe(2)
  expect(after(turnStarted(1), endedAs('failed'), turnStarted(1), endedAs('interrupted')).failedTurns).toBe(0)
})

it('knows the budget that stopped it while it is stopped', () => {
  const sum = { unit: 'usd', spent: 9, limit: 8 } as const
  const exceeded = draft('AgentSessionBudgetExceeded', {
    totalCostUsd: 1,
    limitUsd: 5,
    budget: 'everybody per day',
    budgetId: BudgetId.parse('bud_000001'),
    sum,
  })
  const own = draft('AgentSessionBudgetExceeded', { totalCostUsd: 5, limitUsd: 5 })
  const moved = (from: SessionStatus, to: SessionStatus) =>
    draft('AgentSessionStatusChanged', { from, to, reason: null })
  const stopped = moved('queued', 'stopped_budget')
  expect(after(exceeded, stopped).stoppedBy).toBe('everybody per day')
  expect(after(exceeded, stopped, moved('stopped_budget', 'queued')).stoppedBy).toBeNull()
  expect(after(exceeded, stopped).stoppedSum).toEqual(sum)
  expect(after(exceeded, stopped, moved('stopped_budget', 'queued')).stoppedSum).toBeUndefined()
  expect(after(exceeded, stopped).stoppedBudgetId).toBe('bud_000001')
  expect(after(exceeded, stopped, moved('stopped_budget', 'queued')).stoppedBudgetId).toBeUndefined()
  expect(after(own, stopped).stoppedBy).toBeNull()
  expect(isOutOfOwnMoney(after(own, stopped))).toBe(true)
  expect(isOutOfOwnMoney(after(own))).toBe(false)
  expect(isOutOfOwnMoney(after(exceeded, stopped))).toBe(false)
})

it('knows since when it is stopped, through other changes', () => {
  const move = (from: SessionStatus, to: SessionStatus) =>
    draft('AgentSessionStatusChanged', { from, to, reason: null })
  const stopped = after(move('queued', 'stopped_budget'))
  expect(stopped.stoppedAt).toBe(stopped.updatedAt)
  const renamed = after(
    move('queued', 'stopped_budget'),
    draft('AgentSessionDetailsChanged', { title: 'x', by: 'ana' }),
  )
  expect(renamed.stoppedAt).toBe(stopped.stoppedAt)
  expect(renamed.updatedAt).not.toBe(stopped.updatedAt)
  expect(after(move('queued', 'stopped_budget'), move('stopped_budget', 'queued')).stoppedAt).toBeUndefined()
})
