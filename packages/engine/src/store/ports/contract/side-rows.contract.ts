import { draft, type SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { created, type OpenStore, sessionId, snapshot, thought, usage, withStore } from './store-harness.contract.ts'

const one = sessionId(1)
const other = sessionId(2)
const day = 24 * 60 * 60 * 1000

export function describeSideRows(open: OpenStore): void {
  describe('ledger', () => describeLedger(open))
  describe('open texts', () => describeOpenTexts(open))
  describe('replies', () => describeReplies(open))
  describe('trusted tools', () => describeTrustedTools(open))
}

function describeTrustedTools(open: OpenStore): void {
  it('keep the first fingerprint of a tool per agent until another one is trusted, even across a restart', () =>
    withStore(open, async ({ store, reopen }) => {
      const tool = 'mcp__notes__add'
      const [first, second] = [
        { description: 'd1', inputSchema: 's1' },
        { description: 'd2', inputSchema: 's2' },
      ]
      expect(await store.findTrustedTool('triage', tool)).toBeNull()
      await store.trustNewTool('triage', tool, first)
      await store.trustNewTool('triage', tool, second)
      expect(await store.findTrustedTool('triage', tool)).toEqual(first)
      expect(await store.findTrustedTool('other', tool)).toBeNull()
      await store.trustTool('triage', tool, second)
      const again = (await reopen?.()) ?? store
      expect(await again.findTrustedTool('triage', tool)).toEqual(second)
    }))
}

function describeLedger(open: OpenStore): void {
  it('books an API message once per session and leaves later reports out of the log', () =>
    withStore(open, async ({ store }) => {
      await store.append(one, 0, [created(), usage('m1'), usage('m1', 99)])
      expect(await store.append(one, 2, [usage('m1', 99), thought('x'), usage('m2', null)])).toHaveLength(2)
      expect(await store.append(one, 4, [usage('m2'), usage('m1')])).toEqual([])
      await store.append(other, 0, [created(), usage('m1')])
      const rows = await store.ledger(one)
      expect(rows.map((row) => [row.apiMessageId, row.costUsd])).toEqual([
        ['m1', 0.25],
        ['m2', null],
      ])
      expect(rows[0]).toEqual({
        sessionId: one,
        requestId: 'req_m1',
        apiMessageId: 'm1',
        source: 'gateway',
        costUsd: 0.25,
        model: 'claude-sonnet-4-6',
        servedModel: 'claude-sonnet-4-6',
        at: '2026-05-04T10:00:00.000Z',
        isSimulated: true,
        units: 0,
        highCostUsd: null,
        owner: 'local',
        startedBy: 'local',
        agentName: 'triage',
        tokens: { input: 100, output: 20, cacheRead: 3, cacheWrite: 4 },
      })
      expect(await store.ledger(other)).toHaveLength(1)
      expect(await store.load(one)).toMatchObject({
        seq: 4,
        costUsd: 0.25,
        hasUnpricedUsage: true,
        tokens: { input: 200 },
      })
    }))

  it('refuses a report from a writer that has not seen the last event, even if it is already booked', () =>
    withStore(open, async ({ store }) => {
      await store.append(one, 0, [created(), usage('m1')])
      await expect(store.append(one, 1, [usage('m1')])).rejects.toMatchObject({ code: 'store.conflict' })
      await expect(store.append(one, 3, [usage('m1')])).rejects.toMatchObject({ code: 'store.conflict' })
    }))
}

function describeOpenTexts(open: OpenStore): void {
  it('overwrite the text of a message and keep the order in which messages were opened', () =>
    withStore(open, async ({ store, clock, reopen }) => {
      await store.append(one, 0, [created()])
      await store.saveOpenText(one, snapshot('m2', 'first'))
      clock.advance(1)
      const ofSubagent = snapshot('m1', 'second \u0000 \ud83d', { agent: ['toolu_1'] })
      await store.saveOpenText(one, ofSubagent)
      clock.advance(1)
      await store.saveOpenText(one, snapshot('m2', 'first and more'))
      await store.saveOpenText(other, snapshot('m2', 'of another session'))
      const now = (await reopen?.()) ?? store
      const kept = [snapshot('m2', 'first and more'), ofSubagent]
      expect(await now.openTexts(one)).toEqual(kept)
      await now.dropOpenText(one, 'm2', 'thinking')
      expect(await now.openTexts(one)).toEqual(kept)
      await now.dropOpenText(one, 'm2', 'text')
      expect(await now.openTexts(one)).toEqual(kept.slice(1))
      expect(await now.openTexts(other)).toHaveLength(1)
    }))

  it('append to texts, whatever else is saved at the same time', () =>
    withStore(open, async ({ store, reopen }) => {
      await store.append(one, 0, [created()])
      const piece = (sessionId: SessionId, messageId: string, text: string) =>
        ({ sessionId, messageId, kind: 'text', text }) as const
      await store.saveOpenText(one, snapshot('m1', 'a'))
      await store.addToOpenTexts([
        piece(one, 'm1', 'b \u0000'),
        piece(one, 'unknown', 'x'),
        piece(one, 'm1', ' \ud83d'),
      ])
      await Promise.all([
        store.addToOpenTexts([piece(one, 'm1', 'c'), piece(one, 'm2', 'too early')]),
        store.saveOpenText(one, snapshot('m2', 'new ')),
        store.saveOpenText(other, snapshot('m1', 'of another')),
        store.addToOpenTexts([piece(one, 'm2', 'and more'), piece(one, 'm1', 'd'), piece(other, 'm1', ' session')]),
      ])
      for (let batch = 0; batch < 120; batch += 1) await store.addToOpenTexts([piece(one, 'm2', '.')])
      const now = (await reopen?.()) ?? store
      const texts = async (id: SessionId) => (await now.openTexts(id)).map(({ data }) => data.text)
      expect((await texts(one)).sort()).toEqual(['ab \u0000 \ud83dcd', `new and more${'.'.repeat(120)}`])
      expect(await texts(other)).toEqual(['of another session'])
    }))

  it('start over for a message whose earlier text was dropped', () =>
    withStore(open, async ({ store, reopen }) => {
      await store.append(one, 0, [created()])
      const piece = { sessionId: one, messageId: 'm1', kind: 'text' } as const
      await store.saveOpenText(one, snapshot('m2', 'still open'))
      await store.saveOpenText(one, snapshot('m1', 'first'))
      await store.addToOpenTexts([{ ...piece, text: ' text' }])
      await store.dropOpenText(one, 'm1', 'text')
      await store.addToOpenTexts([{ ...piece, text: 'nobody asked for' }])
      await store.saveOpenText(one, snapshot('m1', 'second'))
      await store.addToOpenTexts([{ ...piece, text: ' text' }])
      const now = (await reopen?.()) ?? store
      expect(await now.openTexts(one)).toContainEqual(snapshot('m1', 'second text'))
    }))

  it('drop the text of a message with the event that settles it, and only that', () =>
    withStore(open, async ({ store }) => {
      await store.append(one, 0, [created()])
      const kindsOpen = async () =>
        (await store.openTexts(one)).map(({ data }) => `${data.messageId} ${data.kind}`).sort()
      for (const messageId of ['m1', 'm2']) {
        await store.saveOpenText(one, snapshot(messageId, 'x'))
        await store.saveOpenText(one, snapshot(messageId, 'x', { kind: 'thinking' }))
      }
      await store.append(one, 1, [draft('AgentThinking', { text: 'x', messageId: 'm1' })])
      expect(await kindsOpen()).toEqual(['m1 text', 'm2 text', 'm2 thinking'])
      await store.append(one, 2, [thought('x', 'm1')])
      expect(await kindsOpen()).toEqual(['m2 text', 'm2 thinking'])
      await store.append(one, 3, [
        draft('AgentStreamDiscarded', { text: 'x', messageId: 'm2', reason: 'broken stream' }),
      ])
      expect(await kindsOpen()).toEqual([])
    }))
}

function describeReplies(open: OpenStore): void {
  const reply = { bodyHash: 'hash', status: 201, body: '{"sessionId":"ses_1","text":"\u0000 é"}' }

  it('keep the first reply for a key of a principal', () =>
    withStore(open, async ({ store }) => {
      expect(await store.findReply('ada', 'k')).toBeNull()
      await store.saveReply('ada', 'k', reply)
      await store.saveReply('ada', 'k', { ...reply, status: 500 })
      await store.saveReply('bob', 'k', { ...reply, bodyHash: 'other' })
      expect(await store.findReply('ada', 'k')).toEqual(reply)
      expect(await store.findReply('bob', 'k')).toEqual({ ...reply, bodyHash: 'other' })
      expect(await store.findReply('ada', 'k2')).toBeNull()
    }))

  it('expire after 24 hours, after which a key accepts a new reply', () =>
    withStore(open, async ({ store, clock }) => {
      await store.saveReply('ada', 'k', reply)
      clock.advance(day - 1)
      expect(await store.findReply('ada', 'k')).toEqual(reply)
      clock.advance(1)
      expect(await store.findReply('ada', 'k')).toBeNull()
      await store.saveReply('ada', 'k', { ...reply, status: 200 })
      expect((await store.findReply('ada', 'k'))?.status).toBe(200)
    }))
}
