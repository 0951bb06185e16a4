import { modelCatalog } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { created, type GivenStep, given } from '../sessions/rules/given-session.fixture.ts'
import { judgeRequest } from './judge-request.ts'

const ask = (model: string) => ({ model })

function state(...steps: readonly GivenStep[]) {
  const session = given(created(), ...steps)
  if (session === null) throw new Error('no session')
  return session
}

it('allows the session and its subagents models with a known price', () => {
  expect(judgeRequest(ask('claude-haiku-4-5'), state(), modelCatalog)).toBeNull()
})

it('refuses a model without a known price, because no limit could apply', () => {
  expect(judgeRequest(ask('claude-opus-4-1'), state(), modelCatalog)).toMatchObject({ type: 'refuse' })
})

it('refuses requests of a closed session', () => {
  const closed = state({ type: 'session.close', by: 'ana' })
  expect(judgeRequest(ask('claude-haiku-4-5'), closed, modelCatalog)).toMatchObject({ type: 'refuse' })
})

it("allows the session's own model without a price: turn and time limits apply", () => {
  const own = { ...state(), model: 'claude-next' }
  expect(judgeRequest(ask('claude-next'), own, modelCatalog)).toBeNull()
  const chosen = { ...state(), model: 'auto', lastModel: 'claude-next' }
  expect(judgeRequest(ask('claude-next'), chosen, modelCatalog)).toBeNull()
})
