// A moment as a field of the browser holds it: the reader's clock, without a zone.

const moment = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}/

/** `null` for what is no moment. What has no zone is taken as the reader's own time. */
export function toLocalTime(text: string): string | null {
  const time = moment.test(text) ? new Date(text) : null
  if (time === null || Number.isNaN(time.getTime())) return null
  const two = (number: number) => String(number).padStart(2, '0')
  const day = [String(time.getFullYear()).padStart(4, '0'), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${day}T${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`
}

/** With its zone, as `format: date-time` wants it; `null` for what is no moment. */
export function fromLocalTime(local: string): string | null {
  const time = new Date(local)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}
