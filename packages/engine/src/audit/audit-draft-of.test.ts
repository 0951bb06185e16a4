import {
  SessionEvent as Catalogue,
  draft,
  type EventDraft,
  type SessionEvent,
  SessionId,
  type TurnId,
} from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { auditDraftOf } from './audit-draft-of.ts'
import { sha256 } from './audit-entry.ts'

const sessionId = SessionId.parse('ses_000001')
const secret = 'what somebody wrote'

const eventOf = (made: EventDraft): SessionEvent =>
  ({
    ...made,
    seq: 1,
    id: 'evt_000001',
    sessionId,
    at: '2026-05-04T10:00:00.000Z',
    v: 1,
    turnId: 'trn_1' as TurnId,
  }) as SessionEvent

describe('auditDraftOf', () => {
  it('audits every event of the catalogue that names a principal', () => {
    const types = Catalogue.options.flatMap((one) => ('by' in one.shape.data.shape ? [one.shape.type.value] : []))
    expect(types).toContain('ApprovalDecided')
    expect(types.length).toBeGreaterThan(10)
    for (const type of types) {
      const event = eventOf({
        type,
        agent: null,
        data: { by: 'ada', output: '', answers: null },
      } as unknown as EventDraft)
      expect(auditDraftOf(event)).toMatchObject({ principal: 'ada', action: type, sessionId })
    }
  })

  it('does not audit events that are only content', () => {
    const contentEvents = [
      draft('AgentThought', { text: secret, messageId: 'm' }),
      draft('AgentThinking', { text: secret, messageId: 'm' }),
      draft('RawBackendMessage', { kind: 'k', message: {} }),
      draft('AgentSessionStatusChanged', { from: 'idle', to: 'running', reason: null }),
    ]
    expect(contentEvents.map((made) => auditDraftOf(eventOf(made)))).toEqual([null, null, null, null])
  })
})

describe('an audit entry', () => {
  it('contains the hash of a tool result', () => {
    const result = { toolName: 'Bash', toolUseId: 'toolu_1', output: secret, isError: true, durationMs: 3 }
    expect(auditDraftOf(eventOf(draft('ToolExecuted', result)))).toEqual({
      principal: 'agent',
      action: 'ToolExecuted',
      sessionId,
      subject: 'toolu_1',
      detail: { toolName: 'Bash', isError: true, outputSha256: sha256(secret) },
    })
  })

  it('contains choices and numbers, but no text written by users', () => {
    const decided = auditDraftOf(
      eventOf({
        type: 'ApprovalDecided',
        agent: null,
        data: { approvalId: 'apr_000001', decision: 'deny', edited: false, note: secret, by: 'ada', wasLive: true },
      } as unknown as EventDraft),
    )
    expect(decided).toMatchObject({ subject: 'apr_000001', detail: { decision: 'deny', edited: false, wasLive: true } })
    const queued = { messageId: 'umsg_1', content: secret, origin: 'user', by: 'ada' }
    const message = auditDraftOf(
      eventOf({ type: 'UserMessageQueued', agent: null, data: queued } as unknown as EventDraft),
    )
    expect(message).toMatchObject({ subject: 'umsg_1', detail: { origin: 'user' } })
    expect(JSON.stringify([decided, message])).not.toContain(secret)
  })

  it('contains the hashes of answers and of client tool results', () => {
    const answered = { questionId: 'qst_000001', answers: { why: secret }, note: null, by: 'ada', wasLive: true }
    const returned = { callId: 'cal_000001', output: secret, isError: false, by: 'ada', wasLive: true }
    const entries = [
      auditDraftOf(eventOf({ type: 'QuestionAnswered', agent: null, data: answered } as unknown as EventDraft)),
      auditDraftOf(eventOf({ type: 'ClientToolReturned', agent: null, data: returned } as unknown as EventDraft)),
    ]
    expect(entries).toMatchObject([
      { principal: 'ada', subject: 'qst_000001', detail: { answersSha256: sha256(JSON.stringify({ why: secret })) } },
      { principal: 'ada', subject: 'cal_000001', detail: { outputSha256: sha256(secret) } },
    ])
    expect(JSON.stringify(entries)).not.toContain(secret)
  })

  it('records that a session was cancelled', () => {
    const cancelled = draft('AgentSessionStatusChanged', { from: 'cancelling', to: 'cancelled', reason: null })
    expect(auditDraftOf(eventOf(cancelled))).toMatchObject({ principal: 'engine', detail: { to: 'cancelled' } })
  })
})
