import { SessionId } from '@quarterdeck/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readEarlier } from './earlier-story.ts'
import { type LogServer, startLogServer } from './log-server.fixture.ts'
import { sessionId } from './logged-event.fixture.ts'
import { sessionCreated, thought } from './sample-events.fixture.ts'

let server: LogServer
beforeEach(async () => {
  server = await startLogServer()
  server.append(sessionCreated)
  for (const text of ['One', 'Two', 'Three', 'Four', 'Five']) server.append(thought(text, text))
})
afterEach(() => server.close())

const textsOf = (parts: Awaited<ReturnType<typeof readEarlier>>) =>
  parts.flatMap(({ story }) => story?.transcript.items.map((item) => ('text' in item ? item.text : item.type)) ?? [])

it('reads the log it came from up to the event it branched off at, and no further', async () => {
  const parts = await readEarlier(server.client, { sessionId, seq: 5 })
  expect(textsOf(parts)).toEqual(['One', 'Two', 'Three', 'Four'])
  expect(parts).toMatchObject([{ sessionId, isCut: false }])
})

it('reads only the end of a long one, and says so', async () => {
  const parts = await readEarlier(server.client, { sessionId, seq: 5 }, { limit: 2 })
  expect(textsOf(parts)).toEqual(['Three', 'Four'])
  expect(parts).toMatchObject([{ isCut: true }])
})

it('says that the session it came from is gone', async () => {
  const gone = SessionId.parse('ses_000009')
  expect(await readEarlier(server.client, { sessionId: gone, seq: 3 })).toEqual([
    { sessionId: gone, story: null, isCut: false },
  ])
})
