// What to raise so that a stopped session goes on: its own limit, or one of the budgets it counts against.
import { type Budget, errorReasons, type InboxItem } from '@quarterdeck/protocol'

type Stopped = Extract<InboxItem, { type: 'budget' }>

/** A reservation that does not fit stops a session a little before its limit: that is its own limit too. */
export const isOwnLimit = ({ isOwnLimit: isReached, reason }: Stopped): boolean =>
  isReached || reason === errorReasons.budget

const steps = [1, 1.5, 2, 3, 5, 7.5, 10]

/** Half as much again, rounded up to a sum people would write. */
export function suggestLimit(spent: number, limit: number): number {
  const wanted = Math.max(spent, limit) * 1.5
  if (!(wanted > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(wanted))
  // Sums like 0.30000000000000004 are not what anybody writes.
  const step = steps.find((one) => one * power >= wanted * (1 - 1e-9)) ?? 10
  return Number((step * power).toPrecision(3))
}

export function budgetTitle({ scope, subject, period }: Pick<Budget, 'scope' | 'subject' | 'period'>): string {
  const who = scope === 'all' ? 'everybody' : subject === '*' ? `each ${scope}` : `${scope} ${subject ?? ''}`
  return period === 'total' ? who : `${who} per ${period}`
}

/** The budgets that can have stopped it: those its reason names, else those that are nearly used up. */
export function budgetsBehind(stopped: Stopped, budgets: readonly Budget[]): readonly Budget[] {
  const mayCount = budgets.filter(
    ({ scope, subject }) => scope !== 'agent' || subject === '*' || subject === stopped.agentName,
  )
  const named = mayCount.filter((budget) => stopped.reason.includes(nameIn(stopped, budget)))
  return named.length > 0 ? named : mayCount.filter(({ spent, limit }) => spent >= limit * 0.8)
}

/** How the engine calls the budget in its reason; of a budget for each user the user's name is not known here. */
function nameIn({ agentName }: Stopped, { scope, subject, period }: Budget): string {
  if (subject === '*' && scope === 'user') return period === 'total' ? 'user ' : ` per ${period}`
  return budgetTitle({ scope, subject: subject === '*' ? agentName : subject, period })
}
