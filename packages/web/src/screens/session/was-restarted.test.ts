import { draft, type EventDraft, emptyTranscript, foldTranscript, type SessionEvent } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { wasRestarted } from './was-restarted.ts'

const asEvent = (one: EventDraft, index: number) =>
  ({ ...one, id: `e${index}`, seq: index + 1, at: '2026-01-31T15:12:00.000Z', agent: null }) as SessionEvent // all that is read

it('nobody is invited to pull a plug that was pulled', () => {
  const crashed = draft('BackendCrashed', { exitCode: 1, signal: null, stderr: '' })
  const recovered = draft('AgentSessionRecovered', { interruptedTurn: true, outcomeUnknown: [], openApprovals: 1 })
  const restarted = (...drafts: readonly EventDraft[]) =>
    wasRestarted(foldTranscript(emptyTranscript, drafts.map(asEvent)))
  expect(restarted(crashed)).toBe(false)
  expect(restarted(crashed, recovered)).toBe(true)
})
