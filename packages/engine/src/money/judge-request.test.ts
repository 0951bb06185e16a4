import { draft, modelCatalog, type SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { created, type GivenStep, given } from '../sessions/given-session.fixture.ts'
import { judgeRequest } from './judge-request.ts'

const ask = (model: string) => ({ sessionId: 'ses_given0' as SessionId, requestId: 'r', model }) // matches the id's shape

function state(...steps: readonly GivenStep[]) {
  const session = given(created(), ...steps)
  if (session === null) throw new Error('no session')
  return session
}

const spent = (costUsd: number) =>
  draft('UsageRecorded', {
    requestId: 'r',
    apiMessageId: 'm',
    model: 'claude-sonnet-4-6',
    servedModel: 'simulator',
    tokens: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    costUsd,
    source: 'gateway',
  })

it('lets the session and its subagents use models whose price is known', () => {
  expect(judgeRequest(ask('claude-haiku-4-5'), state(), modelCatalog)).toEqual({ type: 'go' })
})

it('refuses a model nobody can price, which no limit could hold', () => {
  expect(judgeRequest(ask('claude-opus-4-1'), state(), modelCatalog)).toMatchObject({ type: 'refuse' })
})

it('refuses once the money is gone, and once the session is closed', () => {
  expect(judgeRequest(ask('claude-haiku-4-5'), state(spent(5)), modelCatalog)).toMatchObject({ type: 'refuse' })
  const closed = state({ type: 'session.close', by: 'ana' })
  expect(judgeRequest(ask('claude-haiku-4-5'), closed, modelCatalog)).toMatchObject({ type: 'refuse' })
})
