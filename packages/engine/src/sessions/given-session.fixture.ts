// Test support: a session as a list of events, built the way the log builds it.
import {
  type Command,
  draft,
  type EventDraft,
  type EventId,
  foldSession,
  type SessionEvent,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
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
