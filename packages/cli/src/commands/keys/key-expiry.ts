import { QuarterdeckError } from '@quarterdeck/protocol'

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const

/** `30d`, `12h`, a day in UTC or a whole time, as the moment from which on a key opens nothing; `never` is `null`. */
export function keyExpiry(text: string, now: Date): string | null {
  if (text === 'never') return null
  const [, amount, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  const ms =
    amount === undefined
      ? timeOf(text)
      : now.getTime() + Number(amount) * unitMs[unit as keyof typeof unitMs] /* the expression admits no other */
  if (Number.isNaN(ms)) {
    const forms = 'a time from now (30d, 12h), a day (2027-01-01), a time (2027-01-01T12:00:00Z) or "never"'
    throw new QuarterdeckError('request.invalid', `--expires ${JSON.stringify(text)} is no time: say ${forms}`)
  }
  if (ms > now.getTime()) return new Date(ms).toISOString()
  throw new QuarterdeckError('request.invalid', `--expires ${text} is over already: choose a later time`)
}

/** A day that does not exist is none: a parser may make the next one of it. */
function timeOf(text: string): number {
  const day = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.exec(text)?.[1]
  const start = day === undefined ? Number.NaN : Date.parse(day)
  const isDay = day !== undefined && !Number.isNaN(start) && new Date(start).toISOString().startsWith(day)
  return isDay ? Date.parse(text) : Number.NaN
}
