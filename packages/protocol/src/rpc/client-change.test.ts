import { expect, it } from 'vitest'
import { clientChangeOf } from './client-change.ts'

const sessionId = 'ses_000001'
const clientId = 'page-1'

it.each([
  [['session.start', { client: { clientId, tools: [] } }, { sessionId }], { sessionId, clientId, isAttached: true }],
  [['session.start', {}, { sessionId }], null],
  [['session.attach', { sessionId, clientId, tools: [] }, undefined], { sessionId, clientId, isAttached: true }],
  [['session.detach', { sessionId, clientId }, {}], { sessionId, clientId, isAttached: false }],
  [['session.attach', { sessionId, clientId: 7 }, undefined], null],
  [['session.get', { sessionId, clientId }, {}], null],
] as const)('%j changes %j', ([method, params, reply], change) => {
  expect(clientChangeOf(method, params, reply)).toEqual(change)
})
