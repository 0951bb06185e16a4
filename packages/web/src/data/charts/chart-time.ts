const moment =
  /^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?)?$/

/** Milliseconds of a date or timestamp as the database writes it. Values without a zone are drawn in UTC, unshifted. */
export function momentOf(text: string): number | null {
  const found = moment.exec(text)
  if (found === null) return null
  const [, year, month, day = '01', hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = found
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return null
  const ms = Number(`0.${fraction || '0'}`) * 1000
  const clock = [Number(hour), Number(minute), Number(second)] as const
  return Date.UTC(Number(year), Number(month) - 1, Number(day), ...clock, ms) - zoneMs(zone)
}

function zoneMs(zone: string): number {
  if (zone === 'Z') return 0
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000
}

export type TimeStep = 'year' | 'month' | 'day' | 'moment'

/** The coarsest step that contains all of them. */
export function timeStep(moments: readonly number[]): TimeStep {
  const dates = moments.map((ms) => new Date(ms))
  if (dates.some((date) => date.getTime() % 86_400_000 !== 0)) return 'moment'
  if (dates.some((date) => date.getUTCDate() !== 1)) return 'day'
  return dates.some((date) => date.getUTCMonth() !== 0) ? 'month' : 'year'
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `2026`, `Jul 2026`, `2026-07-01`, `2026-07-01 14:20`. */
export function momentLabel(ms: number, step: TimeStep): string {
  const date = new Date(ms)
  const iso = date.toISOString()
  if (step === 'year') return String(date.getUTCFullYear())
  if (step === 'month') return `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`
  return step === 'day' ? iso.slice(0, 10) : iso.slice(0, 16).replace('T', ' ')
}
