import { expect, it } from 'vitest'
import { cut } from './longest-output.ts'

it('cuts a long output without leaving half of a surrogate pair', () => {
  expect(cut('ab🙂', 3)).toBe('ab\n… cut here: 1 more characters.')
  expect(cut('ab🙂', 4)).toBe('ab🙂')
})
