// Plans the writes of an append before anything is written.
import {
  type EventDraft,
  foldSession,
  QuarterdeckError,
  type SessionEvent,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import type { Clock } from '../../../ports/clock.ts'
import type { Ids } from '../../../ports/ids.ts'

export interface AppendRequest {
  readonly sessionId: SessionId
  readonly previous: SessionState | null
  readonly drafts: readonly EventDraft[]
}

export interface AppendPlan {
  readonly events: readonly SessionEvent[]
  readonly state: SessionState
}

export function planAppend(request: AppendRequest, { clock, ids }: { clock: Clock; ids: Ids }): AppendPlan {
  const { sessionId, previous, drafts } = request
  refuseSecondCreation(request)
  const at = clock.now().toISOString()
  const firstSeq = (previous?.seq ?? 0) + 1
  const events = drafts.map((draft, index) => {
    const { type, agent, turnId, data } = draft
    const numbered = { seq: firstSeq + index, id: ids.next('evt'), sessionId, at, type, agent, data, v: 1 }
    // `type` and `data` come from one draft, so they belong together; spreading them loses that relation for the
    // compiler.
    return (turnId === undefined ? numbered : { ...numbered, turnId }) as SessionEvent
  })
  const state = foldSession(previous, events)
  if (state === null) {
    const first = drafts[0]?.type ?? 'nothing'
    const detail = `there is no session ${sessionId}: its log begins with AgentSessionCreated, not with ${first}`
    throw new QuarterdeckError('session.not-found', detail, { facts: { sessionId } })
  }
  return { events, state }
}

function refuseSecondCreation({ sessionId, previous, drafts }: AppendRequest): void {
  const last = drafts.findLastIndex((draft) => draft.type === 'AgentSessionCreated')
  if (last > 0 || (last === 0 && previous !== null)) {
    throw new Error(`AgentSessionCreated can only be the first event of ${sessionId}`)
  }
}
