import type { SessionService } from '@quarterdeck/engine'
import { describe, expect, it } from 'vitest'
import { changeAgent, openAnalysisApp, tables } from './analysis.fixture.ts'
import { generateSql } from './generate-sql.ts'
import { readSql } from './read-sql.ts'

describe('a query in the text of a model', () => {
  it.each([
    {
      how: 'a block of SQL',
      text: 'Here:\n```sql\nSELECT 1\n```\nIt is one.',
      sql: 'SELECT 1',
      explanation: 'Here:\n\nIt is one.',
    },
    {
      how: 'a block without a language',
      text: '```\nWITH a AS (SELECT 1) FROM a\n```',
      sql: 'WITH a AS (SELECT 1) FROM a',
      explanation: '',
    },
    {
      how: 'the SQL among other blocks',
      text: '```json\n{}\n```\n```SQL\nFROM t\n```',
      sql: 'FROM t',
      explanation: '```json\n{}\n```',
    },
    { how: 'a block that was never closed', text: '```sql\nSELECT 1', sql: 'SELECT 1', explanation: '' },
    { how: 'JSON', text: '{"sql": "SELECT 1", "explanation": "one"}', sql: 'SELECT 1', explanation: 'one' },
    {
      how: 'the bare query',
      text: 'SELECT city\nFROM sales;\n\nThe cities.',
      sql: 'SELECT city\nFROM sales;',
      explanation: 'The cities.',
    },
    {
      how: 'a block with a fence in a name',
      text: '```sql\nSELECT "a```b"\nFROM "```"\n```\nAll $& of it.',
      sql: 'SELECT "a```b"\nFROM "```"',
      explanation: 'All $& of it.',
    },
    { how: 'a block that ends its last line', text: '```sql\nFROM t```\nAll.', sql: 'FROM t', explanation: 'All.' },
    {
      how: 'a block with words first',
      text: '```sql\n-- the cities\n(SELECT 1)\n```',
      sql: '-- the cities\n(SELECT 1)',
      explanation: '',
    },
    {
      how: 'a bare query with names for parts of it',
      text: 'WITH RECURSIVE "a b" (x) AS MATERIALIZED (SELECT 1) SELECT x FROM "a b"',
      sql: 'WITH RECURSIVE "a b" (x) AS MATERIALIZED (SELECT 1) SELECT x FROM "a b"',
      explanation: '',
    },
    { how: 'a bare table', text: 'FROM sales s WHERE s.x > 1', sql: 'FROM sales s WHERE s.x > 1', explanation: '' },
    { how: 'a query and nothing else', text: 'select * from sales', sql: 'select * from sales', explanation: '' },
  ])('is found as $how', ({ text, sql, explanation }) => {
    expect(readSql(text)).toEqual({ sql, explanation })
  })

  it.each([
    ['none', ''],
    ['an apology', 'I cannot do that.'],
    ['a sentence that begins like one', 'Select a table first, please.'],
    ['a block of another language', '```python\nprint(1)\n```'],
    ['an empty block', '```sql\n\n```'],
    ['a sentence that begins with With', 'With this schema there is nothing to select from sales'],
    ['a sentence that names tables', 'Select a table from the list, please.'],
    ['a sentence that begins with From', 'From sales it cannot be said'],
    ['a sentence in a block', '```sql\nWith this schema there is nothing\n```'],
    ['a sentence in JSON', '{"sql": "With this schema there is nothing from it"}'],
    ['a query that writes', '```sql\nDROP TABLE sales\n```'],
  ])('is not found in %s', (_, text) => {
    expect(readSql(text)).toBeNull()
  })
})

describe('POST /api/generate-sql', () => {
  const ask = async (words: readonly string[]) => {
    const app = await openAnalysisApp([[{ type: 'text', chunks: words }]])
    const body = { question: 'Which cities?', tables, tier: 'low' }
    const response = await app.call('/api/generate-sql', { method: 'POST', body })
    const { sessions } = await (await app.call('/v1/sessions')).json()
    return { response, session: sessions[0] }
  }

  it('returns the query and its explanation, from a session without tools that is then closed', async () => {
    const { response, session } = await ask(['```sql\nFROM sales\n```', '\nAll of it.'])
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ sql: 'FROM sales', explanation: 'All of it.', units: 0, costUsd: 0 })
    expect(session).toMatchObject({ status: 'completed', model: 'claude-haiku-4-5', allowedTools: [], tags: ['sql'] })
    expect(session.instructions).toContain('"name":"sales"')
  })

  it('reports when the model gave no query', async () => {
    const { response } = await ask(['I would rather not.'])
    expect(await response.json()).toMatchObject({ status: 502, code: 'analysis.no-sql' })
  })

  it('returns 402 when the budget ends during the turn', async () => {
    const app = await openAnalysisApp([[{ type: 'usage', input: 1, output: 1, costUsd: 1000 }]])
    const response = await app.call('/api/generate-sql', { method: 'POST', body: { question: 'x', tables } })
    const detail = expect.stringMatching(/budget/i)
    expect(await response.json()).toMatchObject({ status: 402, code: 'backend.budget', detail })
  })

  it('returns 402 with the reason of the budget when it is used up from the start', async () => {
    const app = await openAnalysisApp([[{ type: 'text', chunks: ['FROM sales'] }]])
    const { sessions, agents } = app.runtime.engine
    const words = 'the budget of the day is used up'
    // A scripted agent has no costs: this emits the events of the engine for one that has.
    const poor: SessionService = {
      ...sessions,
      async *follow(...from) {
        for await (const event of sessions.follow(...from)) {
          if (event.type !== 'TurnStarted') yield event
          else yield { ...event, type: 'AgentSessionStatusChanged', data: stopped }
        }
      },
      async getSession(sessionId) {
        const snapshot = await sessions.getSession(sessionId)
        return { ...snapshot, session: { ...snapshot.session, statusReason: words } }
      },
    }
    const stopped = { from: 'queued', to: 'stopped_budget', reason: words } as const
    const { signal } = new AbortController()
    const deps = { agents, agent: 'hello', closing: signal }
    const asked = generateSql(deps, { question: 'x', tables }, { sessions: poor, by: 'ana', agent: undefined, signal })
    await expect(asked).rejects.toMatchObject({ code: 'backend.budget', message: words })
  })

  it('ends when its session is stopped before its turn starts', async () => {
    const app = await openAnalysisApp((input) => (input === 'x' ? [] : [{ type: 'stall', chunks: ['Let me see.'] }]))
    await changeAgent(app, { claude: 'max_concurrent_sessions: 1' })
    const { streamUrl } = await app.start()
    await (await app.stream(streamUrl)).untilType('thinking')
    const asked = app.call('/api/generate-sql', { method: 'POST', body: { question: 'x', tables } })
    const waiting = async () => (await (await app.call('/v1/sessions?tag=sql')).json()).sessions[0]
    await expect.poll(async () => (await waiting())?.status, { timeout: 60_000 }).toBe('queued')
    await app.call(`/v1/sessions/${(await waiting()).sessionId}/cancel`, { method: 'POST', body: {} })
    expect(await (await asked).json()).toMatchObject({ code: 'analysis.failed', detail: 'the analysis was cancelled' })
  })

  it('reports why the model did not answer, and leaves nothing running', async () => {
    const app = await openAnalysisApp([[{ type: 'fail', reason: 'overloaded' }]])
    const response = await app.call('/api/generate-sql', { method: 'POST', body: { question: 'x', tables } })
    expect(await response.json()).toMatchObject({
      code: 'analysis.failed',
      detail: 'the model did not answer: overloaded',
    })
    const state = async () => (await (await app.call('/v1/sessions')).json()).sessions[0].status
    await expect.poll(state, { timeout: 60_000 }).toBe('cancelled')
  })
})
