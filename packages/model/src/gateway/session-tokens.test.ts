import { expect, it } from 'vitest'
import { idOf } from './gateway-harness.fixture.ts'
import { createSessionTokens } from './session-tokens.ts'

const sessionId = idOf('ses_1')

it('gives a reopened session the same token, and updates its owner', () => {
  const tokens = createSessionTokens()
  const { token } = tokens.open(sessionId, { owner: 'nobody' })
  expect(tokens.open(sessionId, { owner: 'ana' }).token).toBe(token)
  expect(tokens.find({ 'x-api-key': token })?.owner).toBe('ana')
})

it('updates whether a reopened session has a second model', () => {
  const tokens = createSessionTokens()
  const { token } = tokens.open(sessionId, { hasFallbackModel: false })
  tokens.open(sessionId, { hasFallbackModel: true })
  expect(tokens.find({ 'x-api-key': token })?.hasFallbackModel).toBe(true)
})
