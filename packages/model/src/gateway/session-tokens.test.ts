import { expect, it } from 'vitest'
import { createSessionTokens } from './session-tokens.ts'

it('gives a reopened session the same token, and updates its owner', () => {
  const tokens = createSessionTokens()
  const { token } = tokens.open('ses_1', { owner: 'nobody' })
  expect(tokens.open('ses_1', { owner: 'ana' }).token).toBe(token)
  expect(tokens.find({ 'x-api-key': token })?.owner).toBe('ana')
})

it('updates whether a reopened session has a second model', () => {
  const tokens = createSessionTokens()
  const { token } = tokens.open('ses_1', { hasFallbackModel: false })
  tokens.open('ses_1', { hasFallbackModel: true })
  expect(tokens.find({ 'x-api-key': token })?.hasFallbackModel).toBe(true)
})
