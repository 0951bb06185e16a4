import { describe, expect, it } from 'vitest'
import type { ColumnProfile } from '../../domain/table-profile.ts'
import { columnFact, shapeLabel } from './column-fact.ts'

const column = (more: Partial<ColumnProfile>): ColumnProfile => ({
  column: { name: 'a', type: 'VARCHAR' },
  kind: 'text',
  nulls: 0,
  distinct: 4,
  isUnique: false,
  range: null,
  quantiles: null,
  bins: [],
  top: [],
  remarks: [],
  ...more,
})

describe('the short fact of a column', () => {
  it.each([
    ['4 values', {}],
    ['1.2 k values', { distinct: 1200 }],
    ['unique', { isUnique: true, range: { min: 1, max: 100 }, kind: 'number' }],
    ['0.4 % empty', { isUnique: true, nulls: 4 }],
    ['Jul–Sep', { isUnique: true, kind: 'date', range: { min: '2026-07-01', max: '2026-09-30' } }],
    ['0.8 % empty', { nulls: 8 }],
    ['81 % empty', { nulls: 810 }],
    ['empty', { nulls: 1000, distinct: 0 }],
    ['all the same', { distinct: 1 }],
    ['0.1–31.5', { kind: 'number', range: { min: 0.1, max: 31.5 } }],
    ['-20 k–1.9 M', { kind: 'number', range: { min: -20_000, max: 1_900_000n } }],
    ['Jul–Sep', { kind: 'date', range: { min: '2026-07-01', max: '2026-09-30T10:00:00' } }],
    ['1998–2026', { kind: 'date', range: { min: '1998-01-01', max: '2026-01-01' } }],
    ['3–9 Jul', { kind: 'date', range: { min: '2026-07-03', max: '2026-07-09' } }],
  ] as const)('is %s', (fact, more) => {
    expect(columnFact(column(more), 1000)).toBe(fact)
  })

  it('describes the small histogram in text', () => {
    expect(
      shapeLabel(
        column({
          top: [
            { value: 'North', count: 9 },
            { value: null, count: 1 },
          ],
        }),
      ),
    ).toBe('most often North, nothing')
    expect(shapeLabel(column({ kind: 'number', range: { min: 1, max: 2 } }))).toBe('from 1 to 2')
  })
})
