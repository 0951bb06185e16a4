import type { ColumnReading } from '../../domain/import-plan.ts'
import { typedCell } from './as-type.ts'
import { commaNumber, dayFirstOrMonthFirst, percentSign, pointNumber } from './read-text.ts'

/** Used when the values fit both readings. */
export interface PreferredReading {
  readonly dates: NonNullable<ColumnReading['dates']>
  readonly decimals: NonNullable<ColumnReading['decimals']>
}

/** Adds the date order, decimal mark or percent sign that most values fit. A reading that the plan already has stays. */
export function completeReading(
  values: readonly string[],
  { type, reading = {} }: { readonly type: string; readonly reading?: ColumnReading },
  preferred: PreferredReading,
): ColumnReading | undefined {
  const filled = values.map((value) => value.trim()).filter((value) => value !== '')
  const better = <Way>(first: Way, second: Way, ways: (way: Way) => ColumnReading): Way => {
    const fits = (way: Way) => filled.filter((value) => typedCell(value, type, ways(way)) !== undefined).length
    return fits(second) > fits(first) ? second : first
  }
  let complete = reading
  if ((type === 'DATE' || type === 'TIMESTAMP') && reading.dates === undefined) {
    const other = preferred.dates === 'day-first' ? 'month-first' : 'day-first'
    if (filled.some((value) => dayFirstOrMonthFirst.test(value)))
      complete = { ...complete, dates: better(preferred.dates, other, (dates) => ({ ...reading, dates })) }
  }
  if (type === 'BIGINT' || type === 'DOUBLE') {
    const bare = filled.map((value) => value.replace(percentSign, ''))
    if (reading.percent === undefined && filled.some((value) => percentSign.test(value)))
      complete = { ...complete, percent: true }
    const isGrouped = bare.some((value) => value.includes(',') && (commaNumber.test(value) || pointNumber.test(value)))
    if (reading.decimals === undefined && isGrouped) {
      const read = complete
      const other = preferred.decimals === 'comma' ? 'point' : 'comma'
      complete = { ...complete, decimals: better(preferred.decimals, other, (decimals) => ({ ...read, decimals })) }
    }
  }
  return Object.keys(complete).length > 0 ? complete : undefined
}
