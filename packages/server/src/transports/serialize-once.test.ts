import type { StreamedEvent } from '@quarterdeck/protocol'
import { expect, it, vi } from 'vitest'
import { serializeOnce } from './serialize-once.ts'

it('serializes an array of events once, and an equal array again', () => {
  const write = vi.fn((events: readonly StreamedEvent[], name: string) => [`${name} ${events.length}`])
  const serialize = serializeOnce(write)
  const events: readonly StreamedEvent[] = []
  expect(serialize(events, 'ses_1')).toEqual(['ses_1 0'])
  expect(serialize(events, 'ses_1')).toBe(serialize(events, 'ses_1'))
  expect(write).toHaveBeenCalledTimes(1)
  serialize([], 'ses_1')
  expect(write).toHaveBeenCalledTimes(2)
})
