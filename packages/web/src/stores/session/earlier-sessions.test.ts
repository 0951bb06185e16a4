import { SessionId } from '@quarterdeck/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type LogServer, startLogServer } from '../testing/log-server.fixture.ts'
import { sessionId } from '../testing/logged-event.fixture.ts'
import { sessionCreated, thought } from '../testing/sample-events.fixture.ts'
import { readEarlierSessions } from './earlier-sessions.ts'

let server: LogServer
beforeEach(async () => {
  server = await startLogServer()
  server.append(sessionCreated)
  for (const text of ['One', 'Two', 'Three', 'Four', 'Five']) server.append(thought(text, text))
})
afterEach(() => server.close())

const textsOf = (earlierSessions: Awaited<ReturnType<typeof readEarlierSessions>>) =>
  earlierSessions.flatMap(
    ({ projection }) => projection?.transcript.items.map((item) => ('text' in item ? item.text : item.type)) ?? [],
  )

it('reads the original log up to the event of the fork, and no further', async () => {
  const earlierSessions = await readEarlierSessions(server.client, { sessionId, seq: 5 })
  expect(textsOf(earlierSessions)).toEqual(['One', 'Two', 'Three', 'Four'])
  expect(earlierSessions).toMatchObject([{ sessionId, isCut: false }])
})

it('reads only the end of a long log, and marks it as cut', async () => {
  const earlierSessions = await readEarlierSessions(server.client, { sessionId, seq: 5 }, { limit: 2 })
  expect(textsOf(earlierSessions)).toEqual(['Three', 'Four'])
  expect(earlierSessions).toMatchObject([{ isCut: true }])
})

it('reports that the original session was deleted', async () => {
  const deleted = SessionId.parse('ses_000009')
  expect(await readEarlierSessions(server.client, { sessionId: deleted, seq: 3 })).toEqual([
    { sessionId: deleted, projection: null, isCut: false },
  ])
})
