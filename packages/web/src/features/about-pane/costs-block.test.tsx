import { type CostRow, emptyCosts } from '@quarterdeck/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { CostsBlock } from './costs-block.tsx'

const tokens = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 }
const row: CostRow = { ...emptyCosts.total, requests: 1, tokens }
const shown = (total: CostRow) => renderToStaticMarkup(<CostsBlock costs={{ ...emptyCosts, total }} />)

it('marks output tokens that were only estimated, and no others', () => {
  expect(shown({ ...row, tokens: { ...tokens, isOutputEstimated: true } })).toContain('<td>≈ 5</td>')
  expect(shown(row)).not.toContain('≈')
})
