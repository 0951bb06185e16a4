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

it('reads the log it came from up to the event it branched off at, and no further', async () => {
  const earlierSessions = await readEarlierSessions(server.client, { sessionId, seq: 5 })
  expect(textsOf(earlierSessions)).toEqual(['One', 'Two', 'Three', 'Four'])
  expect(earlierSessions).toMatchObject([{ sessionId, isCut: false }])
})

it('reads only the end of a long one, and says so', async () => {
  const earlierSessions = await readEarlierSessions(server.client, { sessionId, seq: 5 }, { limit: 2 })
  expect(textsOf(earlierSessions)).toEqual(['Three', 'Four'])
  expect(earlierSessions).toMatchObject([{ isCut: true }])
})

it('says that the session it came from is gone', async () => {
  const gone = SessionId.parse('ses_000009')
  expect(await readEarlierSessions(server.client, { sessionId: gone, seq: 3 })).toEqual([
    { sessionId: gone, projection: null, isCut: false },
  ])
})
