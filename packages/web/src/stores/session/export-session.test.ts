import { afterEach, beforeEach, expect, it } from 'vitest'
import { type LogServer, startLogServer } from '../testing/log-server.fixture.ts'
import { sessionId } from '../testing/logged-event.fixture.ts'
import { messageDelivered, messageQueued, sessionCreated, thought } from '../testing/sample-events.fixture.ts'
import { conversationMarkdown, logLines } from './export-session.ts'

let server: LogServer
beforeEach(async () => {
  server = await startLogServer()
  for (const event of [sessionCreated, messageQueued, messageDelivered]) server.append(event)
  for (const text of ['One', 'Two', 'Three', 'Four']) server.append(thought(text, text))
})
afterEach(() => server.close())

it('writes every event of the log as a line, over as many pages as needed', async () => {
  const lines = await logLines(server.client, sessionId)
  expect(lines.map((line) => JSON.parse(line))).toEqual(server.log)
  expect(lines.every((line) => line.endsWith('\n'))).toBe(true)
})

it('stops when its signal aborts', async () => {
  const leaving = new AbortController()
  const lines = logLines(server.client, sessionId, { signal: leaving.signal })
  leaving.abort()
  await expect(lines).rejects.toMatchObject({ name: 'AbortError' })
})

it('writes the conversation as Markdown', () => {
  const text = conversationMarkdown(server.state(), {
    isPartial: false,
    messages: [
      { role: 'user', content: 'Fix it', at: '2026-05-04T10:00:00.000Z' },
      { role: 'assistant', content: 'Done.\n', at: '2026-05-04T10:01:00.000Z' },
    ],
  })
  expect(text).toContain('# Fix it\n\nAgent coder, model ')
  expect(text).toContain('## User, 2026-05-04T10:00:00.000Z\n\nFix it\n\n## coder, 2026-05-04T10:01:00.000Z\n\nDone.\n')
})

it('notes that the beginning of the conversation is missing', () => {
  const text = conversationMarkdown(server.state(), { isPartial: true, messages: [] })
  expect(text).toContain('forked from has been deleted')
})
