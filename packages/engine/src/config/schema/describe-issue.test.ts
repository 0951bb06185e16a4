import { expect, it } from 'vitest'
import { printable } from './describe-issue.ts'

it('printable removes control characters and shortens long text', () => {
  expect(printable('a\u001b[31mred\u202e\nb')).toBe('a·[31mred··b')
  expect(printable('x'.repeat(100))).toHaveLength(60)
})
