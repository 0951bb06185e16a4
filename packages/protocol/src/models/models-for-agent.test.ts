import { expect, it } from 'vitest'
import type { AgentDefinition } from '../agents/agent-definition.ts'
import { type CatalogModel, modelCatalog } from './model-catalog.ts'
import { modelAliasesFor, modelsForAgent } from './models-for-agent.ts'

const other = (id: string): CatalogModel => ({
  id,
  aliases: [],
  label: id,
  tier: 'high',
  price: null,
  contextWindow: 1,
  use: 'from config.yaml',
})
const catalog = [
  ...modelCatalog.filter(({ tier }) => tier === 'low'),
  ...['claude-new-9', 'gpt-5.2', 'o4-mini', 'gpt-oss:20b', 'llama3.2', 'my-deployment'].map(other),
]
const claude = ['claude-haiku-4-5', 'claude-new-9']
const openai = ['gpt-5.2', 'o4-mini']
const anybodys = ['gpt-oss:20b', 'llama3.2', 'my-deployment']

const agent = (provider: AgentDefinition['model']['provider'], backend: AgentDefinition['backend'], id: string) => ({
  backend,
  model: { provider, id },
})

it.each([
  [agent('anthropic', 'claude', 'claude-haiku-4-5'), [...claude, ...anybodys]],
  [agent('anthropic', 'loop', 'claude-haiku-4-5'), [...claude, ...anybodys]],
  [agent('simulator', 'claude', 'claude-haiku-4-5'), [...claude, ...anybodys]],
  [agent('simulator', 'loop', 'claude-haiku-4-5'), [...claude, ...openai, ...anybodys]],
  [agent('openai', 'loop', 'gpt-5.2'), [...openai, ...anybodys]],
  [agent('azure_openai', 'loop', 'my-deployment'), [...openai, ...anybodys]],
  [agent('ollama', 'loop', 'llama3.2'), anybodys],
  [agent('anthropic', 'claude', 'gpt-5.2'), [...claude, ...openai, ...anybodys]],
])('of the catalog an agent with %j may ask for its own', (asked, fitting) => {
  expect(modelsForAgent(catalog, asked).map(({ id }) => id)).toEqual(fitting)
})

it('only models of Anthropic have words that stand for them', () => {
  expect(modelAliasesFor(agent('anthropic', 'loop', 'x'))).toEqual(['auto', 'pro', 'high', 'low'])
  expect(modelAliasesFor(agent('openai', 'loop', 'x'))).toEqual([])
})
