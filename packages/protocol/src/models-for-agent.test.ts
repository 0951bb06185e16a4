import { expect, it } from 'vitest'
import type { AgentDefinition } from './agent.ts'
import { type CatalogModel, modelCatalog } from './models.ts'
import { modelsForAgent, modelWordsFor } from './models-for-agent.ts'

const other = (id: string): CatalogModel => ({
  ...{ id, aliases: [], label: id, tier: 'high', price: null, contextWindow: 1, use: 'from config.yaml' },
})
const catalog = [
  ...modelCatalog.filter(({ tier }) => tier === 'low'),
  ...['claude-new-9', 'gpt-5.2', 'o4-mini', 'gpt-oss:20b', 'llama3.2', 'my-deployment'].map(other),
]
const claude = ['claude-haiku-4-5', 'claude-new-9']
const openai = ['gpt-5.2', 'o4-mini']
const anybodys = ['gpt-oss:20b', 'llama3.2', 'my-deployment']

it.each<[AgentDefinition['model']['provider'], AgentDefinition['backend'], string, readonly string[]]>([
  ['anthropic', 'claude', 'claude-haiku-4-5', [...claude, ...anybodys]],
  ['anthropic', 'loop', 'claude-haiku-4-5', [...claude, ...anybodys]],
  ['simulator', 'claude', 'claude-haiku-4-5', [...claude, ...anybodys]],
  ['simulator', 'loop', 'claude-haiku-4-5', [...claude, ...openai, ...anybodys]],
  ['openai', 'loop', 'gpt-5.2', [...openai, ...anybodys]],
  ['azure_openai', 'loop', 'my-deployment', [...openai, ...anybodys]],
  ['ollama', 'loop', 'llama3.2', anybodys],
  ['anthropic', 'claude', 'gpt-5.2', [...claude, ...openai, ...anybodys]],
])('of the catalog an agent of %s on %s with %s may ask for its own', (provider, backend, id, fitting) => {
  expect(modelsForAgent(catalog, { backend, model: { provider, id } }).map((model) => model.id)).toEqual(fitting)
})

it('only models of Anthropic have words that stand for them', () => {
  const words = (provider: AgentDefinition['model']['provider']) =>
    modelWordsFor({ backend: 'loop', model: { provider, id: 'x' } })
  expect(words('anthropic')).toEqual(['auto', 'pro', 'high', 'low'])
  expect(words('openai')).toEqual([])
})
