import { draft } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { hashRecord, sha256 } from '../../../audit/audit-entry.ts'
import { verifyAudit } from '../../../audit/verify-audit.ts'
import type { EventStore } from '../event-store.ts'
import {
  approvalDecided,
  approvalId,
  approvalRequested,
  created,
  type OpenStore,
  sessionId,
  thought,
  withStore,
} from './store-harness.contract.ts'

const one = sessionId(1)
const other = sessionId(2)
const started = { principal: 'engine', action: 'server.started', sessionId: null, subject: 'x', detail: { port: 4300 } }

export function describeAudit(open: OpenStore): void {
  describe('audit chain', () => {
    describeEntries(open)
    describeVerdict(open)
  })
}

function describeEntries(open: OpenStore): void {
  it('lists decisions and tools of all sessions in one order, without message content', () =>
    withStore(open, async ({ store }) => {
      await store.append(one, 0, [created({ owner: 'ada' }), thought('a secret plan'), approvalRequested(1)])
      await store.append(other, 0, [created({ owner: 'bob' })])
      await store.append(one, 3, [approvalDecided(1), executed('the whole output')])
      const entries = await store.readAudit(0, 100)
      expect(
        entries.map((entry) => [entry.seq, entry.principal, entry.action, entry.sessionId, entry.eventSeq]),
      ).toEqual([
        [1, 'ada', 'AgentSessionCreated', one, 1],
        [2, 'agent', 'ApprovalRequested', one, 3],
        [3, 'bob', 'AgentSessionCreated', other, 1],
        [4, 'local', 'ApprovalDecided', one, 4],
        [5, 'agent', 'ToolExecuted', one, 5],
      ])
      expect(entries[3]).toMatchObject({ subject: approvalId(1), detail: { decision: 'allow' } })
      expect(entries[4]?.detail).toEqual({ toolName: 'Bash', isError: false, outputSha256: sha256('the whole output') })
      expect(JSON.stringify(entries)).not.toMatch(/secret plan|whole output/)
      expect((await store.readAudit(3, 1)).map((entry) => entry.seq)).toEqual([4])
    }))

  it('links each entry to the previous one, from the start', () =>
    withStore(open, async ({ store, reopen }) => {
      await store.append(one, 0, [created(), approvalRequested(1)])
      const now = (await reopen?.()) ?? store
      const last = await now.audit(started)
      const entries = await now.readAudit(0, 100)
      expect(entries.map((entry) => entry.prevHash)).toEqual(['0'.repeat(64), entries[0]?.hash, entries[1]?.hash])
      expect(last).toEqual(entries[2])
      for (const entry of entries) {
        expect(hashRecord({ ...entry, detail: JSON.stringify(entry.detail) })).toBe(entry.hash)
      }
      expect(await now.auditHead()).toEqual({ entries: 3, hash: last.hash })
    }))

  it('has no entry for a refused append', () =>
    withStore(open, async ({ store }) => {
      await store.append(one, 0, [created(), approvalRequested(1)])
      await expect(store.append(other, 0, [created(), approvalRequested(1)])).rejects.toThrow()
      await expect(store.append(one, 1, [approvalDecided(1)])).rejects.toThrow()
      expect(await store.readAudit(0, 100)).toHaveLength(2)
      expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 2 })
    }))

  it('preserves every character of a name', () =>
    withStore(open, async ({ store }) => {
      await store.audit({ ...started, principal: 'a\u0000b \ud83d 🙂', subject: "'; drop table audit; --" })
      expect(await store.readAudit(0, 1)).toMatchObject([{ principal: 'a\ufffdb \ufffd 🙂' }])
      expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 1 })
    }))
}

function describeVerdict(open: OpenStore): void {
  it('verifies when empty, and with several pages of concurrent entries', () =>
    withStore(open, async ({ store }) => {
      expect(await verifyAudit(store)).toEqual({ ok: true, entries: 0, hash: '0'.repeat(64) })
      await Promise.all(Array.from({ length: 30 }, (_, index) => fill(store, index)))
      const verdict = await verifyAudit(store)
      expect(verdict).toMatchObject({ ok: true, entries: 30 * 41 })
      expect(await store.auditHead()).toEqual({ entries: 30 * 41, hash: verdict.ok ? verdict.hash : '' })
    }))

  it('accepts that the events of a deleted session are gone', () =>
    withStore(open, async ({ store }) => {
      await store.append(one, 0, [created(), approvalRequested(1)])
      await store.remove(one, 'ada')
      expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 3 })
      expect((await store.readAudit(2, 1))[0]).toMatchObject({
        principal: 'ada',
        action: 'session.deleted',
        sessionId: one,
        subject: one,
        eventSeq: null,
        detail: { events: 2, agentName: 'triage', owner: 'local' },
      })
    }))
}

async function fill(store: EventStore, index: number): Promise<void> {
  const session = sessionId(`s${index}`)
  await store.append(session, 0, [created()])
  for (let seq = 1; seq <= 31; seq += 10) {
    await store.append(
      session,
      seq,
      Array.from({ length: 10 }, () => executed(`output ${seq}`)),
    )
  }
}

const executed = (output: string) =>
  draft('ToolExecuted', { toolName: 'Bash', toolUseId: 'toolu_1', output, isError: false, durationMs: 1 })
