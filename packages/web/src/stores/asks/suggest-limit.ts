const steps = [1, 1.5, 2, 3, 5, 7.5, 10]

/** 50 % more, rounded up to a round amount. */
export function suggestLimit(spent: number, limit: number): number {
  const wanted = Math.max(spent, limit) * 1.5
  if (!(wanted > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(wanted))
  // The tolerance and the rounding below absorb errors such as 0.30000000000000004.
  const step = steps.find((one) => one * power >= wanted * (1 - 1e-9)) ?? 10
  return Number((step * power).toPrecision(3))
}
