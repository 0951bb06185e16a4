import { expect, it } from 'vitest'
import { countLabel } from './count-label.ts'

it('uses the singular for one, the plural otherwise, and separates thousands', () => {
  expect([0, 1, 2, 6000].map((count) => countLabel(count, 'row'))).toEqual(['0 rows', '1 row', '2 rows', '6,000 rows'])
  expect(countLabel(2, 'query', 'queries')).toBe('2 queries')
})
