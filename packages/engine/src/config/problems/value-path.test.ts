import { expect, it } from 'vitest'
import { formatPath, valueAt } from './value-path.ts'

it('formatPath and valueAt use the notation of the file', () => {
  expect(formatPath(['claude', 'agents', 'a', 'tools', 0])).toBe('claude.agents.a.tools[0]')
  expect(formatPath([])).toBe('')
  expect(valueAt({ a: [{ b: 1 }] }, ['a', 0, 'b'])).toBe(1)
  expect(valueAt({ a: 1 }, ['toString'])).toBeUndefined()
})
