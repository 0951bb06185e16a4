// The current period of a budget. Periods are UTC days and months.
import type { StoredBudget } from '../store/ports/money-store.ts'

/** The day or month, or `total`. */
export function periodKey(period: StoredBudget['period'], now: Date): string {
  const day = now.toISOString().slice(0, 10)
  return period === 'total' ? 'total' : period === 'day' ? day : day.slice(0, 7)
}

/** `null` for a budget in total. */
export function periodStart(period: StoredBudget['period'], now: Date): string | null {
  if (period === 'total') return null
  const day = period === 'day' ? now.getUTCDate() : 1
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), day)).toISOString()
}
