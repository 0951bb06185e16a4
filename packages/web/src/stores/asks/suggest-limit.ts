const steps = [1, 1.5, 2, 3, 5, 7.5, 10]

/** Half as much again, rounded up to a sum people would write. */
export function suggestLimit(spent: number, limit: number): number {
  const wanted = Math.max(spent, limit) * 1.5
  if (!(wanted > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(wanted))
  // Sums like 0.30000000000000004 are not what anybody writes.
  const step = steps.find((one) => one * power >= wanted * (1 - 1e-9)) ?? 10
  return Number((step * power).toPrecision(3))
}
