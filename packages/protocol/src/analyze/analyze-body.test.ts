import { describe, expect, it } from 'vitest'
import { AnalyzeBody } from './analyze-body.ts'

const asked = (level: number, table: object) =>
  AnalyzeBody.safeParse({ question: 'How many?', level, tables: [{ name: 't', columns: [], ...table }] })

describe('the data in a question', () => {
  const summed = { columns: [{ name: 'a', type: 'BIGINT', summary: { nullShare: 0, distinct: 2, min: 1, max: 2 } }] }

  it('has no summary at level 0, and no rows below level 2', () => {
    expect(asked(0, summed).error?.issues[0]).toMatchObject({
      path: ['tables', 0, 'columns'],
      message: 'level 0 sends no summaries',
    })
    expect(asked(1, { sample: [{ a: 1 }] }).error?.issues[0]?.message).toBe('level 1 sends no rows')
    expect(asked(1, summed).success).toBe(true)
    expect(asked(2, { ...summed, sample: [{ a: 1 }] }).success).toBe(true)
  })

  it('marks an estimate as one', () => {
    const summary = { distinct: 250_000, isDistinctApproximate: true }
    const { data } = asked(1, { columns: [{ name: 'a', type: 'BIGINT', summary }] })
    expect(data?.tables?.[0]?.columns[0]?.summary).toEqual(summary)
  })

  it('is limited in size', () => {
    const summary = { min: 'x'.repeat(301) }
    expect(asked(1, { columns: [{ name: 'a', type: 'VARCHAR', summary }] }).success).toBe(false)
  })
})
