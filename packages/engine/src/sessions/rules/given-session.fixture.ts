// A session as a list of events, built the way the log builds it.
import {
  type Command,
  draft,
  type EndTurn,
  type ErrorCode,
  type EventDraft,
  type EventId,
  foldSession,
  isQuarterdeckError,
  type SendMessage,
  type SessionEvent,
  type SessionId,
  type SessionState,
  type TurnId,
  type TurnOutcome,
  type UserMessageId,
} from '@quarterdeck/protocol'
import { emptyResult, nothingUsed } from '../../backends/empty-result.ts'
import { decide } from './decide.ts'

const sessionId = 'ses_given0' as SessionId // a literal that matches the id's shape

export const created = (mode: 'chat' | 'task' = 'chat'): EventDraft =>
  draft('AgentSessionCreated', {
    agentName: 'hello',
    mode,
    model: 'claude-sonnet-4-5-20250929',
    modelSource: 'simulator',
    permissionMode: 'manual',
    limits: { maxTurns: 50, maxBudgetUsd: 5, maxDurationMs: 3_600_000 },
    cwd: '/project',
    title: null,
    tags: [],
    owner: 'ana',
  })

export type GivenStep = EventDraft | Command

/** The state after these drafts and commands, in order. */
export function given(...steps: readonly GivenStep[]): SessionState | null {
  let events: SessionEvent[] = []
  for (const step of steps) {
    const drafts = 'data' in step ? [step] : decide(foldSession(null, events), step)
    events = [...events, ...drafts.map((one, index) => numbered(one, events.length + index + 1))]
  }
  return foldSession(null, events)
}

function numbered(one: EventDraft, seq: number): SessionEvent {
  const at = new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString()
  // A draft with its number, id and time is an event: the compiler cannot follow the union through the spread.
  return { ...one, seq, id: `evt_given${seq}` as EventId, sessionId, at, v: 1 } as SessionEvent
}

/** `umsg_000001` and so on: literals that match the id's shape. */
export const messageId = (number: number) => `umsg_${String(number).padStart(6, '0')}` as UserMessageId
export const turnId = 'trn_000001' as TurnId
const wakeId = messageId(9)

export const send = (number = 1, change: Partial<SendMessage> = {}): Command => ({
  type: 'message.send',
  messageId: messageId(number),
  content: `message ${number}`,
  origin: 'user',
  delivery: 'queued',
  by: 'ana',
  ...change,
})

export const start: Command = { type: 'turn.start', turnId }
export const interrupt: Command = { type: 'turn.interrupt', by: 'ana' }
export const pause: Command = { type: 'session.pause', by: 'ana' }
export const resume: Command = { type: 'session.resume', continueMessageId: messageId(8), by: 'ana' }
export const cancel: Command = { type: 'session.cancel', by: 'ana' }
export const close: Command = { type: 'session.close', by: 'ana' }
export const recover: Command = { type: 'session.recover', openTexts: [], wakeMessageId: wakeId }

export const end = (outcome: TurnOutcome, change: Partial<EndTurn> & { readonly reason?: string } = {}): Command => {
  const { reason = outcome, ...command } = change
  const errorReason = outcome === 'completed' ? null : reason
  return {
    type: 'turn.end',
    keepsAsks: false,
    wakeMessageId: wakeId,
    ended: draft('TurnEnded', {
      outcome,
      result: { ...emptyResult, response: 'done', numTurns: 2, errorReason },
      ...nothingUsed,
      durationMs: 10,
      durationApiMs: 5,
    }),
    ...command,
  }
}

/** A chat in the middle of its first turn. */
export const running: readonly GivenStep[] = [created(), send(), start]

export const types = (drafts: readonly EventDraft[]) => drafts.map((event) => event.type)
export const statusAfter = (...steps: readonly GivenStep[]) => given(...steps)?.status

/** The error code of a refused command. */
export function refusal(steps: readonly GivenStep[], command: Command): ErrorCode | undefined {
  try {
    decide(given(...steps), command)
  } catch (error) {
    if (isQuarterdeckError(error)) return error.code
    throw error
  }
  return undefined
}
