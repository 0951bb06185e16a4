import type { EventsQuery, SessionEvent } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { allEvents } from './all-events.ts'

it('reads page after page, and stops at a page without events', async () => {
  const asked: EventsQuery[] = []
  const pages = [
    { events: [event(1), event(2)], lastSeq: 2, hasMore: true },
    { events: [], lastSeq: 2, hasMore: true },
  ]
  const seqs: number[] = []
  for await (const { seq } of allEvents(async (query) => {
    asked.push(query)
    return pages[asked.length - 1] ?? Promise.reject(new Error('asked after the end'))
  })) {
    seqs.push(seq)
  }
  expect(seqs).toEqual([1, 2])
  expect(asked.map(({ after }) => after)).toEqual(['0', '2'])
})

const event = (seq: number) => ({ seq }) as SessionEvent // only the seq is read
