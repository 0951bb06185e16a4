import { draft, type EventDraft, emptyTranscript, foldSession, foldTranscript, TurnId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { loggedEvent } from '../testing/logged-event.fixture.ts'
import {
  approvalId,
  approvalRequested,
  questionAnswered,
  questionAsked,
  sessionCreated,
} from '../testing/sample-events.fixture.ts'
import { workingTimeMs } from './working-time.ts'

const turnStarted = draft('TurnStarted', { messageIds: [], model: 'm' }, { turnId: TurnId.parse('trn_000001') })
const decided = draft('ApprovalDecided', {
  approvalId,
  decision: 'allow',
  toolInput: { command: 'npm test' },
  edited: false,
  note: null,
  by: 'ana',
  rule: null,
  wasLive: true,
})
const expired = draft('ApprovalExpired', { approvalId })

/** Seconds of work at second 100 of a turn that began at second 0. Each event has the given second. */
function worked(...events: readonly (readonly [number, EventDraft])[]): number {
  const timed: (readonly [number, EventDraft])[] = [[0, sessionCreated], [0, turnStarted], ...events]
  const log = timed.map(([second, event], index) => loggedEvent(event, { seq: index + 1, at: second * 1000 }))
  const session = foldSession(null, log)
  if (session === null) throw new Error('the first event must be AgentSessionCreated')
  return workingTimeMs(session, foldTranscript(emptyTranscript, log), 100_000) / 1000
}

it('counts the time of the turn, without the time a user took to answer', () => {
  expect(worked()).toBe(100)
  expect(worked([10, approvalRequested()])).toBe(10)
  expect(worked([10, approvalRequested()], [40, decided])).toBe(70)
  expect(worked([10, approvalRequested()], [40, expired])).toBe(70)
  expect(worked([10, questionAsked], [40, questionAnswered(null)])).toBe(70)
})
