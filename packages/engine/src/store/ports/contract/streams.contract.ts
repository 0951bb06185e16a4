// A second kind of stream beside sessions, and the position over all of them.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { EventStore } from '../event-store.ts'
import { type LoggedEvent, type StreamKind, sessionKind } from '../streams.ts'
import { created, type OpenStore, sessionId, thought, withStore } from './store-harness.contract.ts'

const NoteDraft = z.discriminatedUnion('type', [
  z.object({ type: z.literal('NoteWritten'), data: z.object({ text: z.string() }) }),
  z.object({ type: z.literal('NoteClosed'), data: z.object({ by: z.string() }) }),
])
type NoteDraft = z.infer<typeof NoteDraft>

interface Note {
  readonly texts: readonly string[]
  readonly isClosed: boolean
}

const notes: StreamKind<Note, NoteDraft> = {
  name: 'note',
  draft: NoteDraft,
  fold(state, event) {
    const note = state ?? { texts: [], isClosed: false }
    if (note.isClosed) throw new Error('the note is closed')
    if (event.type === 'NoteClosed') return { ...note, isClosed: true }
    return { ...note, texts: [...note.texts, event.data.text] }
  },
}

const written = (text: string): NoteDraft => ({ type: 'NoteWritten', data: { text } })
const closed: NoteDraft = { type: 'NoteClosed', data: { by: 'ada' } }
const one = sessionId(1)
const other = sessionId(2)
const conflict = { code: 'store.conflict' }

export function describeStreams(open: OpenStore): void {
  describe('streams of another kind', () => describeSecondKind(open))
  describe('the log of all streams', () => describeLog(open))
}

function describeSecondKind(open: OpenStore): void {
  it('has its own events and state, even under the id of a session', () =>
    withStore(open, async ({ store, clock, reopen }) => {
      const session = await store.append(one, 0, [created()])
      const first = await store.streams(notes).append(one, 0, [written('a'), written('b\u0000ü')])
      clock.advance(1500)
      const second = await store.streams(notes).append(one, 2, [closed])
      expect(second).toMatchObject([{ ...closed, seq: 3, at: '2026-05-04T10:00:01.500Z', v: 1 }])
      const now = (await reopen?.()) ?? store
      const streams = now.streams(notes)
      expect(await streams.read(one, 0, 10)).toEqual([...first, ...second])
      expect(await streams.read(one, 1, 1)).toEqual([first[1]])
      expect(await streams.load(one)).toEqual({ seq: 3, state: { texts: ['a', 'b\u0000ü'], isClosed: true } })
      expect(await now.read(one, 0, 10)).toEqual(session)
      expect([await streams.read('unknown', 0, 10), await streams.load('unknown')]).toEqual([[], null])
    }))

  it('refuses a writer that has not seen the last event, and writes nothing', () =>
    withStore(open, async ({ store }) => {
      const streams = store.streams(notes)
      await streams.append('n', 0, [written('a')])
      for (const wrong of [0, 2]) await expect(streams.append('n', wrong, [closed])).rejects.toMatchObject(conflict)
      const both = await Promise.allSettled([streams.append('n', 1, [written('b')]), streams.append('n', 1, [closed])])
      expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
      expect(await streams.load('n')).toMatchObject({ seq: 2, state: { texts: ['a', 'b'] } })
    }))

  it('refuses events that its schema or its fold does not accept, and writes nothing', () =>
    withStore(open, async ({ store }) => {
      const streams = store.streams(notes)
      const wrong = { type: 'NoteWritten', data: { text: 7 } } as unknown as NoteDraft
      const refused = { code: 'request.invalid', message: expect.stringContaining('data.text') }
      await expect(streams.append('n', 0, [written('a'), wrong])).rejects.toMatchObject(refused)
      await expect(streams.append('n', 0, [closed, written('late')])).rejects.toThrow('closed')
      expect(await streams.load('n')).toBeNull()
      expect(await store.lastPosition()).toBe(0)
    }))

  it('returns the events as it stores them, without other fields and with data as JSON has it', () =>
    withStore(open, async ({ store, reopen }) => {
      const draft = z.looseObject({ type: z.string(), data: z.looseObject({}) })
      const folded: unknown[] = []
      const loose = { name: 'loose', draft, fold: (_: number | null, event: unknown) => folded.push(event) }
      const data = { at: new Date(0), none: undefined, many: [Number.NaN] }
      const appended = await store.streams(loose).append('n', 0, [{ type: 'Made', data, extra: 1, seq: 9 }])
      const stored = { type: 'Made', data: { at: '1970-01-01T00:00:00.000Z', many: [null] }, seq: 1, v: 1 }
      expect(appended).toStrictEqual([{ ...stored, id: expect.any(String), at: expect.any(String) }])
      expect(folded).toStrictEqual(appended)
      const now = (await reopen?.()) ?? store
      expect(await now.streams(loose).read('n', 0, 10)).toStrictEqual(appended)
    }))

  it('folds each event once for its own appends, and the events of other writers as well', () =>
    withStore(open, async ({ store }) => {
      const folded: number[] = []
      const counted: typeof notes = {
        ...notes,
        fold(state, event) {
          folded.push(event.seq)
          return notes.fold(state, event)
        },
      }
      const [streams, others] = [store.streams(counted), store.streams(notes)]
      for (const seq of [0, 1, 2]) await streams.append('n', seq, [written('a')])
      expect(folded).toEqual([1, 2, 3])
      await expect(streams.append('n', 2, [closed])).rejects.toMatchObject(conflict)
      await others.append('n', 3, [written('b')])
      await expect(streams.append('n', 3, [closed])).rejects.toMatchObject(conflict)
      await others.append('n', 4, [closed])
      await expect(streams.append('n', 5, [written('late')])).rejects.toThrow('closed')
      expect(await streams.load('n')).toEqual({ seq: 5, state: { texts: ['a', 'a', 'a', 'b'], isClosed: true } })
    }))

  it('folds a stream of several pages', () =>
    withStore(open, async ({ store }) => {
      const texts = Array.from({ length: 2500 }, (_, index) => `${index}`)
      await store.streams(notes).append('n', 0, texts.map(written))
      expect(await store.streams(notes).load('n')).toMatchObject({ seq: 2500, state: { texts } })
    }))

  it('cannot have the name of sessions', () =>
    withStore(open, async ({ store }) => {
      expect(() => store.streams({ ...notes, name: sessionKind })).toThrow('session')
    }))
}

function describeLog(open: OpenStore): void {
  it('has the events of all kinds in the order in which they were written, with a position each', () =>
    withStore(open, async ({ store, reopen }) => {
      const log = [
        ...(await store.append(one, 0, [created(), thought('a')])),
        ...(await store.streams(notes).append('n', 0, [written('b')])),
        ...(await store.append(other, 0, [created()])),
        ...(await store.append(one, 2, [thought('c')])),
      ]
      const now = (await reopen?.()) ?? store
      const { events, next } = await now.readAll({ after: 0, limit: 100 })
      expect(events.map(({ event }) => event)).toEqual(log)
      expect(events.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5])
      const streams = events.map(({ stream: { kind, id } }) => `${kind} ${id}`)
      expect(streams).toEqual([`session ${one}`, `session ${one}`, 'note n', `session ${other}`, `session ${one}`])
      expect([next, await now.lastPosition()]).toEqual([5, 5])
      for (const limit of [1, 2, 5]) expect(await readPages(now, limit)).toEqual(events)
    }))

  it('reads one kind and skips the positions of others', () =>
    withStore(open, async ({ store }) => {
      await store.streams(notes).append('n', 0, [written('a'), written('b')])
      await store.append(one, 0, [created(), thought('c')])
      const kinds = ['note']
      const { events, next } = await store.readAll({ after: 0, limit: 10, kinds })
      expect(events.map(({ position }) => position)).toEqual([1, 2])
      expect(next).toBe(4)
      expect(await store.readAll({ after: 0, limit: 1, kinds })).toMatchObject({ next: 1 })
      expect(await store.readAll({ after: 4, limit: 1, kinds })).toEqual({ events: [], next: 4 })
      expect(await store.readAll({ after: 0, limit: 1, kinds: [] })).toEqual({ events: [], next: 4 })
    }))

  it('never assigns a position again, even if the last session is deleted', () =>
    withStore(open, async ({ store, reopen }) => {
      await store.append(one, 0, [created()])
      await store.append(other, 0, [created(), thought('a')])
      await store.remove(other, 'ada')
      await store.remove(one, 'ada')
      expect(await store.lastPosition()).toBe(3)
      const now = (await reopen?.()) ?? store
      expect(await now.readAll({ after: 0, limit: 10 })).toEqual({ events: [], next: 3 })
      await now.append(other, 0, [created()])
      const { events } = await now.readAll({ after: 3, limit: 10 })
      expect(events.map(({ position }) => position)).toEqual([4])
    }))

  it('refuses to read after a position that it has not reached', () =>
    withStore(open, async ({ store }) => {
      await store.append(one, 0, [created()])
      expect(await store.readAll({ after: 1, limit: 10 })).toEqual({ events: [], next: 1 })
      await expect(store.readAll({ after: 2, limit: 10 })).rejects.toMatchObject({ code: 'cursor.beyond-log' })
    }))

  it('reports appends once they can be read, until the listener is removed', () =>
    withStore(open, async ({ store }) => {
      const reads: Promise<number>[] = []
      const unsubscribe = store.onAppended(() => reads.push(store.lastPosition()))
      await store.append(one, 0, [created(), thought('a')])
      await store.streams(notes).append('n', 0, [written('b')])
      await expect(store.append(one, 0, [thought('late')])).rejects.toMatchObject(conflict)
      unsubscribe()
      await store.append(one, 2, [thought('c')])
      expect(await Promise.all(reads)).toEqual([2, 3])
    }))
}

async function readPages(store: EventStore, limit: number): Promise<readonly LoggedEvent[]> {
  const read: LoggedEvent[] = []
  for (let after = 0; ; ) {
    const { events, next } = await store.readAll({ after, limit })
    if (events.length === 0) return read
    read.push(...events)
    after = next
  }
}
