import { expect, it } from 'vitest'
import { personOf, reasonBy } from './status-reason.ts'

it('reads the person from the reason of a status, and nobody from a reason of the engine', () => {
  expect(reasonBy('ana')).toBe('by ana')
  expect(personOf(reasonBy('ana'))).toBe('ana')
  expect(['the server stopped', null].map(personOf)).toEqual([null, null])
})
