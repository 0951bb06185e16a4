import { QuarterdeckError } from '@quarterdeck/protocol'

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const

/** Parses `30d`, `12h`, a day in UTC or a full time into the moment when the key expires; `never` is `null`. */
export function keyExpiry(text: string, now: Date): string | null {
  if (text === 'never') return null
  const [, amount, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  const ms =
    amount === undefined
      ? timeOf(text)
      : now.getTime() + Number(amount) * unitMs[unit as keyof typeof unitMs] /* the expression matches no other unit */
  if (Number.isNaN(ms)) {
    const forms = 'a time from now (30d, 12h), a day (2027-01-01), a time (2027-01-01T12:00:00Z) or "never"'
    throw new QuarterdeckError('request.invalid', `--expires ${JSON.stringify(text)} is not a time: use ${forms}`)
  }
  if (ms > now.getTime()) return new Date(ms).toISOString()
  throw new QuarterdeckError('request.invalid', `--expires ${text} is in the past: choose a later time`)
}

/** Refuses days that do not exist: the parser may turn them into the next day. */
function timeOf(text: string): number {
  const day = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.exec(text)?.[1]
  const start = day === undefined ? Number.NaN : Date.parse(day)
  const isDay = day !== undefined && !Number.isNaN(start) && new Date(start).toISOString().startsWith(day)
  return isDay ? Date.parse(text) : Number.NaN
}
