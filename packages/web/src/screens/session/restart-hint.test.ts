import { draft, type EventDraft, emptyTranscript, foldTranscript, type SessionEvent } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { wasRestarted } from './restart-hint.tsx'

const asEvent = (one: EventDraft, index: number) =>
  ({ ...one, id: `e${index}`, seq: index + 1, at: '2026-01-31T15:12:00.000Z', agent: null }) as SessionEvent // the only fields that are read

it('wasRestarted is true once the server has recovered the session', () => {
  const crashed = draft('BackendCrashed', { exitCode: 1, signal: null, stderr: '' })
  const recovered = draft('AgentSessionRecovered', { interruptedTurn: true, outcomeUnknown: [], openApprovals: 1 })
  const restarted = (...drafts: readonly EventDraft[]) =>
    wasRestarted(foldTranscript(emptyTranscript, drafts.map(asEvent)))
  expect(restarted(crashed)).toBe(false)
  expect(restarted(crashed, recovered)).toBe(true)
})
