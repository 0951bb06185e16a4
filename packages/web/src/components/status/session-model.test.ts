import { expect, it } from 'vitest'
import { sessionModel } from './session-model.ts'

it('names the model, and for automatic selection the model chosen last', () => {
  const modelSource = 'provider'
  expect(sessionModel({ model: 'claude-haiku-4-5', lastModel: null, modelSource })).toBe('claude-haiku-4-5')
  expect(sessionModel({ model: 'auto', lastModel: null, modelSource })).toBe('automatic selection')
  expect(sessionModel({ model: 'auto', lastModel: 'claude-haiku-4-5', modelSource: 'simulator' })).toBe(
    'automatic, last simulator (as claude-haiku-4-5)',
  )
})
