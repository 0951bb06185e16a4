// Converts dates, times and timestamps between counts and ISO text. Counts are exact: a Date has no microseconds.

const microsecond = 1_000_000n
const dayMicroseconds = 86_400n * microsecond

/** DuckDB's `infinity` in each of its counts. */
const infinities = new Map<number | bigint, string>([
  [2_147_483_647, 'infinity'],
  [-2_147_483_647, '-infinity'],
  [9_223_372_036_854_775_807n, 'infinity'],
  [-9_223_372_036_854_775_807n, '-infinity'],
])

export function dayText(days: number): string {
  return infinities.get(days) ?? civil(days)
}

export function timeText(microseconds: bigint): string {
  const seconds = Number(microseconds / microsecond)
  const clock = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => pad(Math.floor(part), 2)).join(':')
  const rest = String(microseconds % microsecond)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return rest === '' ? clock : `${clock}.${rest}`
}

export function momentText(microseconds: bigint): string {
  const known = infinities.get(microseconds)
  if (known !== undefined) return known
  const inDay = ((microseconds % dayMicroseconds) + dayMicroseconds) % dayMicroseconds
  return `${civil(Number((microseconds - inDay) / dayMicroseconds))}T${timeText(inDay)}`
}

/** `null` if the text is not a date. */
export function daysOf(text: string): number | null {
  const match = /^([+-]?\d{4,6})-(\d\d)-(\d\d)/.exec(text)
  if (match === null) return null
  const at = Date.UTC(2000, Number(match[2]) - 1, Number(match[3]))
  const date = new Date(at)
  date.setUTCFullYear(Number(match[1]), Number(match[2]) - 1, Number(match[3]))
  return Math.round(date.getTime() / 86_400_000)
}

/** `null` if the text is not a time of day. */
export function timeOf(text: string): bigint | null {
  const match = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?/.exec(text)
  if (match === null) return null
  const [, hours, minutes, seconds, fraction] = match
  const whole = BigInt(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0))
  return whole * microsecond + BigInt((fraction ?? '').padEnd(6, '0').slice(0, 6))
}

/** `null` if the text is not a timestamp. Converts zones to UTC. */
export function momentOf(text: string): bigint | null {
  const days = daysOf(text)
  if (days === null) return null
  const clock = timeOf(text.replace(/^[+-]?\d{4,6}-\d\d-\d\d[T ]?/, '')) ?? 0n
  const zone = /([+-])(\d\d):?(\d\d)?$/.exec(text.slice(11))
  const away = zone === null ? 0n : BigInt(Number(zone[2]) * 3600 + Number(zone[3] ?? 0) * 60) * microsecond
  return BigInt(days) * dayMicroseconds + clock - (zone?.[1] === '-' ? -away : away)
}

function civil(days: number): string {
  const date = new Date(days * 86_400_000)
  if (Number.isNaN(date.getTime())) return `day ${days}`
  const year = date.getUTCFullYear()
  const shown = year >= 0 && year <= 9999 ? pad(year, 4) : `${year < 0 ? '-' : '+'}${pad(Math.abs(year), 6)}`
  return `${shown}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0')
