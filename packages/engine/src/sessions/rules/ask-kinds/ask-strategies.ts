import { type Ask, type AskId, askIdOf, askIdPrefixes, type Unreported } from '@quarterdeck/protocol'
import { approvalStrategy } from './approval.ts'
import type { AskStrategy } from './ask-strategy.ts'
import { clientCallStrategy } from './client-call.ts'
import { questionStrategy } from './question.ts'

/** In the order in which a waiting session shows them. */
export const askStrategies = {
  approval: approvalStrategy,
  question: questionStrategy,
  'client-call': clientCallStrategy,
} satisfies Readonly<Record<Ask['kind'], unknown>>

export function strategyOf<Id extends AskId>(id: Id): AskStrategy<Id> {
  for (const [kind, strategy] of Object.entries(askStrategies)) {
    // The prefix shows the kind of the id, so the strategy is of that kind.
    if (id.startsWith(`${askIdPrefixes[kind as Ask['kind']]}_`)) return strategy as unknown as AskStrategy<Id>
  }
  throw new Error(`${id} is not the id of an ask`)
}

export const strategyOfReport = (report: Unreported): AskStrategy => strategyOf(askIdOf(report))
