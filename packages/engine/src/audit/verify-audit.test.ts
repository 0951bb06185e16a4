import { expect, it } from 'vitest'
import { type AuditRecord, emptyChain } from './audit-entry.ts'
import { chainEntries, headAfter } from './chain-entries.ts'
import { type AuditSource, verifyAudit } from './verify-audit.ts'

const draft = { principal: 'ada', action: 'key.created', sessionId: null, subject: 'ci', detail: {} }
const line = { at: '2026-05-03T09:00:00.000Z', draft, event: null }
const chain = chainEntries(emptyChain, Array(3000).fill(line))
const head = headAfter(chain, emptyChain)

function sourceOf(records: readonly AuditRecord[]): AuditSource {
  return {
    readAuditProofs: async (afterSeq, limit) =>
      records
        .slice(afterSeq, afterSeq + limit)
        .map((record) => ({ record, eventHashNow: null, position: null, booked: null, session: null })),
    auditHead: async () => head,
    isDeletedAfter: async () => false,
    keyFacts: async () => [],
    sessionOutsideChain: async () => null,
    knownKinds: [],
    logEnd: async () => ({ last: 0, floor: 0, assigned: null }),
    readStreams: async () => [],
    readAudited: async () => [],
    adoptions: async () => new Map(),
    sessionWithoutEvents: async () => null,
  }
}

const swapped = (one: number, other: number): AuditSource => {
  const inPlace = new Map([
    [one, other],
    [other, one],
  ])
  return sourceOf(
    chain.map((record) => ({ ...(chain[(inPlace.get(record.seq) ?? record.seq) - 1] ?? record), seq: record.seq })),
  )
}

it.each([
  [1499, 1500],
  [200, 1100],
])('reports entries %i and %i as reordered when they were swapped', async (one, other) => {
  const detail = `entry ${one} was written as entry ${other}`
  expect(await verifyAudit(swapped(one, other))).toEqual({ ok: false, seq: one, problem: 'reordered', detail })
})

it('searches only nearby for the original position: an entry from further away is altered', async () => {
  expect(await verifyAudit(swapped(20, 2900))).toMatchObject({ ok: false, seq: 20, problem: 'altered' })
})
