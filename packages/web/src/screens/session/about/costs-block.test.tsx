import { type CostRow, emptyCosts } from '@quarterdeck/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { emptySpending, type SpendingProjection } from '../../../stores/session/spending-projection.ts'
import { CostsBlock } from './costs-block.tsx'

const tokens = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 }
const row: CostRow = { ...emptyCosts.total, requests: 1, tokens }
const shown = (total: CostRow, money: SpendingProjection = emptySpending) =>
  renderToStaticMarkup(<CostsBlock costs={{ ...emptyCosts, total }} money={money} />)

it('marks estimated output tokens, and no others', () => {
  expect(shown({ ...row, tokens: { ...tokens, isOutputEstimated: true } })).toContain('<td>≈ 5</td>')
  expect(shown(row)).not.toContain('≈')
})

it('shows the automatic choices, the savings and the units', () => {
  const choices = [{ seq: 3, model: 'claude-haiku-4-5', reason: 'a short question' }]
  const text = shown({ ...row, costUsd: 0.1, savedUsd: 0.3, units: 12_500 }, { ...emptySpending, choices })
  expect(text).toContain('12,500 units · saved $0.30 (75 %) compared to high')
  expect(text).toContain('Haiku 4.5')
  expect(text).toContain('a short question')
  expect(shown({ ...row, savedUsd: -0.2 })).toContain('$0.20 more than on high')
})

it('shows budget warnings as sentences', () => {
  const warning = { budget: '<b>agent</b> per day', unit: 'usd', spent: 4.1, limit: 5 } as const
  const text = shown(row, { ...emptySpending, warnings: [{ seq: 4, warning }] })
  expect(text).toContain('82 % of the budget of &lt;b&gt;agent&lt;/b&gt; per day was')
  expect(text).toContain('$4.10 of $5')
})
