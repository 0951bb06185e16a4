import { expect, it } from 'vitest'
import { queuePositionLabel } from './status-line.tsx'

it('names the queue and the position in it', () => {
  expect(queuePositionLabel({ reason: 'process', position: 3, waiting: 9 })).toBe(
    'Position 3 in the queue for a process',
  )
  expect(queuePositionLabel({ reason: 'rate', position: 1, waiting: 1 })).toBe('Next in the queue for the provider')
})
