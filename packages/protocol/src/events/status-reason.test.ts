import { expect, it } from 'vitest'
import { actorOf, reasonBy } from './status-reason.ts'

it('reads the actor from the reason of a status', () => {
  expect(reasonBy('ana')).toBe('by ana')
  expect(actorOf(reasonBy('ana'))).toBe('ana')
  expect(['the server stopped', null].map(actorOf)).toEqual([null, null])
})
