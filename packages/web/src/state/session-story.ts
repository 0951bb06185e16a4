// Everything one page shows of a session, folded together from one stream.
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
import { foldMoment, type Moment, noMoment } from './moment.ts'
import { emptyMoneyStory, foldMoneyStory, type MoneyStory } from './money-story.ts'
import { foldRewinds, type Rewind } from './rewinds.ts'
import { emptyTurnCosts, foldTurnCosts, type TurnCosts } from './turn-costs.ts'

export interface SessionStory {
  readonly session: SessionState
  readonly transcript: Transcript
  readonly tree: SubagentTree
  readonly costs: Costs
  readonly turnCosts: TurnCosts
  readonly money: MoneyStory
  readonly rewinds: readonly Rewind[]
  readonly moment: Moment
  /** The last event of the log that is folded in. */
  readonly seq: number
}

/** The header is known from the snapshot at once; the rest is replayed from the first event. */
export const beginStory = (snapshot: SessionSnapshot): SessionStory => ({
  session: snapshot.session,
  transcript: emptyTranscript,
  tree: emptySubagentTree,
  costs: emptyCosts,
  turnCosts: emptyTurnCosts,
  money: emptyMoneyStory,
  rewinds: [],
  moment: { ...noMoment, place: snapshot.place },
  seq: 0,
})

export function tellStory(story: SessionStory, events: readonly StreamedEvent[]): SessionStory {
  const durable = events.filter(isDurable)
  const news = durable.filter((event) => event.seq > story.session.seq)
  return {
    session: foldSession(story.session, news) ?? story.session,
    transcript: foldTranscript(story.transcript, events),
    tree: durable.length === 0 ? story.tree : foldSubagentTree(story.tree, durable),
    costs: foldCosts(story.costs, durable),
    turnCosts: foldTurnCosts(story.turnCosts, durable),
    money: foldMoneyStory(story.money, durable),
    rewinds: foldRewinds(story.rewinds, durable),
    moment: foldMoment(story.moment, events),
    seq: durable.at(-1)?.seq ?? story.seq,
  }
}
