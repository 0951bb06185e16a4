const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Node's timers cannot wait longer than 2^31 ms; longer durations would fire immediately. */
export const longestDurationMs = 24 * unitMs.d

/** Milliseconds of `90s`, `5m`, `1h30m`, `2d`; undefined if the text is not a duration, zero or too long. */
export function parseDuration(text: string, longestMs = longestDurationMs): number | undefined {
  if (!/^(?:\d{1,9}(?:ms|[smhd]))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|[smhd])/g)) {
    total += Number(amount) * unitMs[unit as keyof typeof unitMs] // the expression allows exactly these units
  }
  return total > 0 && total <= longestMs ? total : undefined
}
