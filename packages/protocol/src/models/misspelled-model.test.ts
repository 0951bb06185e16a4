import { expect, it } from 'vitest'
import { misspelledModel } from './misspelled-model.ts'
import { modelCatalog } from './model-catalog.ts'

const known = ['pro', 'high', 'low', 'auto', ...modelCatalog.flatMap(({ id, aliases }) => [id, ...aliases])]

it.each([
  ['claude-sonet-4', /^claude-sonnet-4/],
  ['claude-sonet-4-6', /^claude-sonnet-4-6$/],
  ['claud-opus-4-6', /^claude-opus-4-6$/],
  ['claude-hiaku-4-5', /^claude-haiku-4-5$/],
  ['claude-opsu-9', /^claude-opus-4/],
  ['Claude-Sonnet-4-6', /^claude-sonnet-4-6$/],
  ['claude-sonnet-4.6', /^claude-sonnet-4-6$/],
  ['claude_opus_4_6', /^claude-opus-4-6$/],
  ['hihg', /^high$/],
])('takes %s for a misspelling', (name, meant) => {
  expect(misspelledModel(name, known)).toMatch(meant)
})

it.each([
  'claude-sonnet-4-5-20250929',
  'claude-sonnet-4-20250514',
  'claude-sonnet-5',
  'claude-opus-4-7',
  'claude-haiku-4-5-20270101',
  'claude-3-5-sonnet-20241022',
  'claude-3-5-sonnet-latest',
  'claude-sonnet-4-5@20250929',
  'anthropic.claude-sonnet-4-5-20250929-v1:0',
  'claude-instant-1.2',
  'claude-next',
  'gpt-4o-2024-08-06',
  'gpt-4o',
  'o3',
  'prod',
  'made-up-9',
])('does not take %s for a misspelling', (name) => {
  expect(misspelledModel(name, known)).toBeUndefined()
})

it('compares with the names of config.yaml too', () => {
  expect(misspelledModel('gtp-4o', ['gpt-4o'])).toBe('gpt-4o')
  expect(misspelledModel('gpt-4o-2024-08-06', ['gpt-4o'])).toBeUndefined()
  expect(misspelledModel('gpt-4o-mini', ['gpt-4o'])).toBeUndefined()
})
