import type { SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { findLoss, type LossSource } from './find-loss.ts'

const session = 'ses_01JZZZZZZZZZZZZZZZZZZZZZZ1' as SessionId
const head = { entries: 4, hash: 'h4' }

const databaseWith = (lastEvent: number): LossSource => ({
  auditHead: async () => head,
  hashOfEntry: async () => head.hash,
  lastEvents: async () => new Map(lastEvent === 0 ? [] : [[session, lastEvent]]),
  isDeletedAfter: async () => false,
})

const notesOf = (...seqs: readonly number[]) => seqs.map((seq) => ({ ...head, sessions: { [session]: seq } }))

it.each([
  { title: 'a lost event although a slower process wrote its older note last', notes: [9, 7], last: 8 },
  { title: 'a deleted session that is back although an older note came last', notes: [9, 0, 8], last: 9 },
])('finds $title', async ({ notes, last }) => {
  const loss = await findLoss(notesOf(...notes), databaseWith(last))
  expect(loss).toMatchObject({ problem: 'event-removed', sessions: [session] })
})

it.each([
  { title: 'is ahead of its notes', notes: [9, 7], last: 10 },
  { title: 'lacks a session that was deleted', notes: [9, 0, 8], last: 0 },
])('finds nothing in a database that $title', async ({ notes, last }) => {
  expect(await findLoss(notesOf(...notes), databaseWith(last))).toBeNull()
})
