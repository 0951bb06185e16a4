import { describe, expect, it } from 'vitest'
import { planBins } from './bins.ts'
import type { ColumnFacts } from './column-facts.ts'
import { remarksOf } from './remarks.ts'

const facts = (type: string, span: ColumnFacts['span'], more: Partial<ColumnFacts> = {}): ColumnFacts => ({
  column: { name: 'a', type },
  kind: type.startsWith('DA') || type.startsWith('TI') ? 'date' : 'number',
  count: 10,
  nulls: 0,
  distinct: 10,
  isUnique: false,
  range: null,
  quantiles: null,
  span,
  isWhole: type === 'BIGINT',
  isEstimated: false,
  isSampled: false,
  ...more,
})
const day = (text: string) => Date.parse(`${text}T00:00:00Z`)

describe('the bins of a column', () => {
  it('are the integers themselves if there are few', () => {
    expect(planBins(facts('BIGINT', { min: 2, max: 5 }))).toEqual({
      min: 2,
      width: 1,
      count: 4,
      labels: ['2', '3', '4', '5'],
    })
  })

  it('are twenty of equal width over a wider range, with distinguishable edges', () => {
    const plan = planBins(facts('DOUBLE', { min: 0, max: 0.5 }))
    expect(plan).toMatchObject({ count: 20, width: 0.025 })
    expect(plan?.labels[0]).toBe('0 to 0.025')
    expect(new Set(plan?.labels).size).toBe(20)
    expect(planBins(facts('BIGINT', { min: 0, max: 2000 }))?.labels.at(-1)).toBe('1900 to 2000')
  })

  it('are days if there are few, otherwise equal periods', () => {
    const few = planBins(facts('DATE', { min: day('2026-01-30'), max: day('2026-02-02') }))
    expect(few?.labels).toEqual(['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-02'])
    expect(planBins(facts('DATE', { min: day('2025-01-01'), max: day('2026-01-01') }))?.labels[0]).toBe(
      '2025-01-01 to 2025-01-19',
    )
    const hours = planBins(facts('TIMESTAMP', { min: day('2026-01-01'), max: day('2026-01-02') }))
    expect(hours?.labels[1]).toBe('2026-01-01 01:12 to 2026-01-01 02:24')
  })

  it('are one if all values are equal, and none without values', () => {
    expect(planBins(facts('DOUBLE', { min: 7.5, max: 7.5 }))?.count).toBe(1)
    expect(planBins(facts('DOUBLE', null))).toBeNull()
  })
})

it('remarks on missing, constant and outlying values', () => {
  const one = facts('DOUBLE', { min: 0, max: 1000 }, { quantiles: { q25: 1, median: 2, q75: 3, mean: 2 } })
  expect(remarksOf(one, 10)).toEqual(['some values are far from the others'])
  expect(remarksOf(facts('DOUBLE', null, { count: 0 }), 10)).toEqual(['always empty'])
  expect(remarksOf(facts('DOUBLE', null, { nulls: 81, count: 19 }), 100)).toEqual(['81 % empty'])
  expect(remarksOf(facts('DOUBLE', null, { distinct: 1 }), 10)).toEqual(['every row the same'])
  expect(remarksOf(facts('DOUBLE', null, { isEstimated: true, isSampled: true }), 10)).toHaveLength(2)
})
