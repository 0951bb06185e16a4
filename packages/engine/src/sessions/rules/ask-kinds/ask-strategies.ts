import { type Ask, type AskId, askIdOf, type Unreported } from '@quarterdeck/protocol'
import { approvalStrategy } from './approval.ts'
import type { AskStrategy } from './ask-strategy.ts'
import { clientCallStrategy } from './client-call.ts'
import { questionStrategy } from './question.ts'

/** In the order in which a waiting session shows them. */
export const askStrategies: Readonly<Record<Ask['kind'], AskStrategy>> = {
  approval: approvalStrategy,
  question: questionStrategy,
  'client-call': clientCallStrategy,
}

export function strategyOf(id: AskId): AskStrategy {
  const found = Object.values(askStrategies).find(({ idPrefix }) => id.startsWith(idPrefix))
  if (found === undefined) throw new Error(`${id} is not the id of an ask`)
  return found
}

export const strategyOfReport = (report: Unreported): AskStrategy => strategyOf(askIdOf(report))
