import { expect, it } from 'vitest'
import { modelLabel } from './model-label.ts'

it('never shows the simulator as the model it simulates', () => {
  const model = 'claude-sonnet-4-6'
  expect(modelLabel({ model, modelSource: 'simulator' })).toBe('simulator (as claude-sonnet-4-6)')
  expect(modelLabel({ model, modelSource: 'provider' })).toBe(model)
  expect(modelLabel({ model, modelSource: null })).toBe(model)
})
