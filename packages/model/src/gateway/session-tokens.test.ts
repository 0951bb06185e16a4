import { expect, it } from 'vitest'
import { createSessionTokens } from './session-tokens.ts'

it('gives a session that is opened again the same token, and notes whose it is by now', () => {
  const tokens = createSessionTokens()
  const { token } = tokens.open('ses_1', { owner: 'nobody' })
  expect(tokens.open('ses_1', { owner: 'ana' }).token).toBe(token)
  expect(tokens.find({ 'x-api-key': token })?.owner).toBe('ana')
})

it('notes whether a session that is opened again has a second model by now', () => {
  const tokens = createSessionTokens()
  const { token } = tokens.open('ses_1', { hasFallbackModel: false })
  tokens.open('ses_1', { hasFallbackModel: true })
  expect(tokens.find({ 'x-api-key': token })?.hasFallbackModel).toBe(true)
})
