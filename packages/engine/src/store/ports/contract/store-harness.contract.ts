// Fixtures for the suite: a controllable clock, countable ids, and drafts that are easy to tell apart.
import {
  type AgentStreamSnapshot,
  ApprovalId,
  ClientCallId,
  draft,
  type EventDraft,
  type EventOfType,
  QuestionId,
  type SessionEvent,
  SessionId,
  type SessionStatus,
} from '@quarterdeck/protocol'
import type { Clock } from '../../../ports/clock.ts'
import { type Ids, makeId } from '../../../ports/ids.ts'
import type { EventStore } from '../event-store.ts'
import type { NewKey } from '../key-store.ts'

export interface OpenedStore {
  readonly store: EventStore
  /** Closes the store and opens it again on the same data, if the store is durable. */
  readonly reopen?: () => Promise<EventStore>
}

export type OpenStore = (parts: { clock: Clock; ids: Ids }) => Promise<OpenedStore>

export interface StoreHarness extends OpenedStore {
  readonly clock: HeldClock
}

export interface HeldClock extends Clock {
  advance(ms: number): void
}

export async function withStore(open: OpenStore, test: (reopening: StoreHarness) => Promise<void>): Promise<void> {
  const clock = createHeldClock()
  const { store, reopen } = await open({ clock, ids: createCountingIds() })
  let current = store
  const reopening = reopen && { reopen: async () => (current = await reopen()) }
  try {
    await test({ store, clock, ...reopening })
  } finally {
    await current.close()
  }
}

export function createHeldClock(start = '2026-05-04T10:00:00.000Z'): HeldClock {
  let now = Date.parse(start)
  return {
    now: () => new Date(now),
    advance: (ms) => {
      now += ms
    },
  }
}

export function createCountingIds(): Ids {
  let count = 0
  return { next: (prefix) => makeId(prefix, String(++count).padStart(8, '0')) }
}

const padded = (name: string | number) => String(name).padStart(6, '0')
export const sessionId = (name: string | number): SessionId => SessionId.parse(`ses_${padded(name)}`)
export const approvalId = (name: string | number): ApprovalId => ApprovalId.parse(`apr_${padded(name)}`)

export const created = (data: Partial<EventOfType<'AgentSessionCreated'>['data']> = {}): EventDraft =>
  draft('AgentSessionCreated', {
    agentName: 'triage',
    mode: 'chat',
    model: 'claude-sonnet-4-6',
    modelSource: 'simulator',
    permissionMode: 'manual',
    limits: { maxTurns: 20, maxBudgetUsd: 2, maxDurationMs: 60_000 },
    cwd: '/project',
    title: null,
    tags: [],
    owner: 'local',
    ...data,
  })

export const thought = (text: string, messageId = 'msg_1'): EventDraft => draft('AgentThought', { text, messageId })

export const snapshot = (
  messageId: string,
  text = 'so far',
  { kind = 'text', agent = null }: Partial<Pick<AgentStreamSnapshot, 'agent'> & AgentStreamSnapshot['data']> = {},
): AgentStreamSnapshot => ({ type: 'AgentStreamSnapshot', agent, data: { text, messageId, kind } })

export const statusChanged = (from: SessionStatus, to: SessionStatus): EventDraft =>
  draft('AgentSessionStatusChanged', { from, to, reason: null })

export const usage = (apiMessageId: string, costUsd: number | null = 0.25): EventDraft =>
  draft('UsageRecorded', {
    requestId: `req_${apiMessageId}`,
    apiMessageId,
    model: 'claude-sonnet-4-6',
    servedModel: 'claude-sonnet-4-6',
    tokens: { input: 100, output: 20, cacheRead: 3, cacheWrite: 4 },
    costUsd,
    source: 'gateway',
  })

export const approvalRequested = (name: string | number): EventDraft =>
  draft('ApprovalRequested', {
    approvalId: approvalId(name),
    toolName: 'Bash',
    toolUseId: `toolu_${name}`,
    toolInput: { command: 'ls' },
    effects: ['read'],
    rule: 'manual: every call is asked for',
    sessionRule: { tool: 'Bash', pattern: 'ls' },
    expiresAt: null,
    insteadOf: null,
  })

export const questionId = (name: string | number): QuestionId => QuestionId.parse(`qst_${padded(name)}`)
export const clientCallId = (name: string | number): ClientCallId => ClientCallId.parse(`ctc_${padded(name)}`)

export const questionAsked = (name: string | number): EventDraft =>
  draft('QuestionAsked', {
    questionId: questionId(name),
    source: 'agent',
    server: null,
    toolUseId: `toolu_${name}`,
    message: '',
    items: [],
    schema: null,
    url: null,
    expiresAt: null,
  })

export const questionAnswered = (name: string | number): EventDraft =>
  draft('QuestionAnswered', { questionId: questionId(name), answers: {}, note: null, by: 'ada', wasLive: true })

export const clientToolCalled = (name: string | number): EventDraft =>
  draft('ClientToolCalled', {
    callId: clientCallId(name),
    toolName: 'query',
    toolInput: {},
    toolUseId: `toolu_${name}`,
    leader: null,
    deadlineAt: '2026-05-04T10:05:00.000Z',
    parkedUntil: '2026-05-05T10:00:00.000Z',
  })

export const clientToolExpired = (name: string | number): EventDraft =>
  draft('ClientToolExpired', { callId: clientCallId(name) })

export const approvalDecided = (name: string | number): EventDraft =>
  draft('ApprovalDecided', {
    approvalId: approvalId(name),
    decision: 'allow',
    toolInput: { command: 'ls' },
    edited: false,
    note: null,
    by: 'local',
    rule: null,
    wasLive: true,
  })

export async function readWholeLog(store: EventStore, session: SessionId, pageSize = 100): Promise<SessionEvent[]> {
  const log: SessionEvent[] = []
  for (;;) {
    const page = await store.read(session, log.at(-1)?.seq ?? 0, pageSize)
    log.push(...page)
    if (page.length < pageSize) return log
  }
}

export const newKey = (terms: Pick<NewKey, 'name' | 'hash'> & Partial<NewKey>): NewKey => ({
  id: `key_${terms.name}`,
  scope: 'operator',
  owner: terms.name,
  expiresAt: null,
  requestsPerMinute: null,
  budget: null,
  ...terms,
})
