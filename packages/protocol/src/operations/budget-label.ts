import type { Budget } from './money.ts'

/** `agent coder per day`, `each user per month`, `everybody`. */
export function budgetLabel({ scope, subject, period }: Pick<Budget, 'scope' | 'subject' | 'period'>): string {
  const who = scope === 'all' ? 'everybody' : subject === '*' ? `each ${scope}` : `${scope} ${subject ?? ''}`
  return period === 'total' ? who : `${who} per ${period}`
}
