/** A duration as a clock: `0:07`, `14:20`, `2:03:11`. */
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [hours, minutes, remainder] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(remainder)}` : `${minutes}:${two(remainder)}`
}

/** An age in the coarsest useful unit: `now`, `6 min`, `3 h`, `2 d`. */
export function formatAge(fromIso: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(fromIso)) / 1000)
  if (seconds < 10) return 'now'
  if (seconds < 60) return `${Math.floor(seconds)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/** `14:02`, with the date unless it is today. */
export function formatMoment(iso: string, now: number): string {
  const moment = new Date(iso)
  const time = moment.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  if (moment.toDateString() === new Date(now).toDateString()) return time
  return `${moment.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })}, ${time}`
}
