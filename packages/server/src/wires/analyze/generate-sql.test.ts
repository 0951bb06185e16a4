import { describe, expect, it } from 'vitest'
import { changeAgent, openAnalysisApp, tables } from './analysis.fixture.ts'
import { readSql } from './read-sql.ts'

describe('a query in the words of a model', () => {
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
  ])('is not made up from %s', (_, text) => {
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

  it('answers with the query and its words, from a session without tools that is closed then', async () => {
    const { response, session } = await ask(['```sql\nFROM sales\n```', '\nAll of it.'])
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ sql: 'FROM sales', explanation: 'All of it.', units: 0, costUsd: 0 })
    expect(session).toMatchObject({ status: 'completed', model: 'claude-haiku-4-5', allowedTools: [], tags: ['sql'] })
    expect(session.instructions).toContain('"name":"sales"')
  })

  it('says so where the model gave none', async () => {
    const { response } = await ask(['I would rather not.'])
    expect(await response.json()).toMatchObject({ status: 502, code: 'analysis.no-sql' })
  })

  it('ends when its session is stopped before its turn has begun', async () => {
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

  it('says why the model did not answer, and leaves nothing running', async () => {
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
