import { afterEach, beforeEach, expect, it } from 'vitest'
import { type LogServer, problem, startLogServer } from './log-server.fixture.ts'
import { sessionId } from './logged-event.fixture.ts'
import { messageId, messageQueued, sessionCreated } from './sample-events.fixture.ts'
import { steerQueued } from './steer-queued.ts'

let server: LogServer
let asked: [string, string, unknown, string][]
beforeEach(async () => {
  server = await startLogServer()
  server.append(sessionCreated)
  server.append(messageQueued)
  asked = []
})
afterEach(() => server.close())

const steer = () => {
  const [message] = server.state().queued
  if (message === undefined) throw new Error('no message waits')
  return steerQueued(server.client, sessionId, { message, retryAfterMs: 5 })
}

it('takes the message out of the line and sends it into the turn, once, whatever the connection does', async () => {
  server.onChange = ({ method, path, body, key }) => {
    asked.push([method, path, body, key])
    if (method === 'DELETE') return { status: 200, value: { sessionId, appliedSeq: 3 } }
    return asked.length < 4 ? null : { status: 201, value: { sessionId, messageId, appliedSeq: 4 } }
  }
  await steer()
  const [cancelled, ...sent] = asked
  expect(cancelled?.slice(0, 2)).toEqual(['DELETE', `/v1/sessions/${sessionId}/messages/${messageId}`])
  expect(sent.length).toBe(3)
  expect(new Set(sent.map(([, , , key]) => key)).size).toBe(1)
  expect(sent[0]?.[2]).toEqual({ content: 'Fix it', delivery: 'immediate' })
})

it('sends nothing when the message was delivered meanwhile', async () => {
  server.onChange = ({ method, path, body, key }) => {
    asked.push([method, path, body, key])
    return { status: 409, value: problem('message.delivered', 409, 'it was delivered') }
  }
  await expect(steer()).rejects.toMatchObject({ code: 'message.delivered' })
  expect(asked.length).toBe(1)
})
