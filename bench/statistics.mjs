/**
 * @param {readonly number[]} values
 * @param {number} share between 0 and 1
 */
export function quantile(values, share) {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** @param {readonly number[]} values */
export const median = (values) => quantile(values, 0.5)

/** @param {readonly number[]} values */
export const range = (values) => `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}`
