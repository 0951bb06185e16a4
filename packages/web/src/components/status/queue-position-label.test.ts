import { expect, it } from 'vitest'
import { queuePositionLabel } from './queue-position-label.ts'

it('says the place in line, what it is a line for, and how many go first', () => {
  expect(queuePositionLabel({ reason: 'process', position: 3, waiting: 9 })).toBe(
    'Third in line for a process: 2 before you',
  )
  expect(queuePositionLabel({ reason: 'rate', position: 1, waiting: 1 })).toBe('Next in line for the provider')
  expect(queuePositionLabel({ reason: 'agent', position: 2, waiting: 2 })).toBe(
    'Second in line for this agent: 1 before you',
  )
  expect(queuePositionLabel({ reason: 'turn', position: 12, waiting: 20 })).toBe(
    'Number 12 in line for a turn: 11 before you',
  )
})
