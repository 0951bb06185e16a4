// All data that a session page shows, folded from one stream of events.
import {
  type Costs,
  emptyCosts,
  emptySubagentTree,
  emptyTranscript,
  foldCosts,
  foldSession,
  foldSubagentTree,
  foldTranscript,
  isDurable,
  type SessionSnapshot,
  type SessionState,
  type StreamedEvent,
  type SubagentTree,
  type Transcript,
} from '@quarterdeck/protocol'
import { foldRewinds, type PastRewind } from './rewinds.ts'
import { emptySpending, foldSpending, type SpendingProjection } from './spending-projection.ts'
import { emptyTransientState, foldTransientState, type TransientState } from './transient-state.ts'
import { emptyTurnCosts, foldTurnCosts, type TurnCosts } from './turn-costs.ts'

export interface SessionProjection {
  readonly session: SessionState
  readonly transcript: Transcript
  readonly tree: SubagentTree
  readonly costs: Costs
  readonly turnCosts: TurnCosts
  readonly money: SpendingProjection
  readonly rewinds: readonly PastRewind[]
  readonly transient: TransientState
  /** The seq of the last folded event. */
  readonly seq: number
}

/** The snapshot provides the header at once. The other parts are replayed from the first event. */
export const beginProjection = (snapshot: SessionSnapshot): SessionProjection => ({
  session: snapshot.session,
  transcript: emptyTranscript,
  tree: emptySubagentTree,
  costs: emptyCosts,
  turnCosts: emptyTurnCosts,
  money: emptySpending,
  rewinds: [],
  transient: { ...emptyTransientState, queuePosition: snapshot.queuePosition },
  seq: 0,
})

export function foldProjection(projection: SessionProjection, events: readonly StreamedEvent[]): SessionProjection {
  const durable = events.filter(isDurable)
  const unfolded = durable.filter((event) => event.seq > projection.session.seq)
  return {
    session: foldSession(projection.session, unfolded) ?? projection.session,
    transcript: foldTranscript(projection.transcript, events),
    tree: durable.length === 0 ? projection.tree : foldSubagentTree(projection.tree, durable),
    costs: foldCosts(projection.costs, durable),
    turnCosts: foldTurnCosts(projection.turnCosts, durable),
    money: foldSpending(projection.money, durable),
    rewinds: foldRewinds(projection.rewinds, durable),
    transient: foldTransientState(projection.transient, events),
    seq: durable.at(-1)?.seq ?? projection.seq,
  }
}
