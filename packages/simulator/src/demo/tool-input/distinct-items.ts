// The values of a list without duplicates.
import { fits } from './fitting-number.ts'

type Schema = Readonly<Record<string, unknown>>

/** A duplicate is replaced by a similar value, or left out if the schema of the items allows none. */
export function distinct(values: readonly unknown[], items: Schema): unknown[] {
  const taken = new Map<string, unknown>()
  for (const value of values) {
    const free = [value, ...others(value, items, values.length)].find((one) => !taken.has(JSON.stringify(one)))
    if (free !== undefined) taken.set(JSON.stringify(free), free)
  }
  return [...taken.values()]
}

function others(value: unknown, items: Schema, count: number): readonly unknown[] {
  if (Array.isArray(items.enum)) return items.enum
  if ('const' in items || items.pattern !== undefined || items.format !== undefined) return []
  const steps = Array.from({ length: count }, (_, index) => index + 1)
  if (typeof value === 'boolean') return [!value]
  if (typeof value === 'number') {
    const step = typeof items.multipleOf === 'number' ? items.multipleOf : 1
    const near = steps.flatMap((each) => [value + each * step, value - each * step, value + each / (2 * count)])
    return near.filter((one) => fits(items, one))
  }
  if (typeof value !== 'string') return []
  const most = typeof items.maxLength === 'number' ? items.maxLength : Number.POSITIVE_INFINITY
  return steps.map((each) => numbered(value, String(each + 1), most)).filter(({ length }) => length <= most)
}

const numbered = (text: string, number: string, most: number): string =>
  `${[...text].slice(0, Math.max(0, most - number.length)).join('')}${number}`
