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
const withoutMaker = ['gpt-oss:20b', 'llama3.2', 'my-deployment']

const agent = (provider: AgentDefinition['model']['provider'], backend: AgentDefinition['backend'], id: string) => ({
  backend,
  model: { provider, id },
})

it.each([
  [agent('anthropic', 'claude', 'claude-haiku-4-5'), [...claude, ...withoutMaker]],
  [agent('anthropic', 'loop', 'claude-haiku-4-5'), [...claude, ...withoutMaker]],
  [agent('simulator', 'claude', 'claude-haiku-4-5'), [...claude, ...withoutMaker]],
  [agent('simulator', 'loop', 'claude-haiku-4-5'), [...claude, ...openai, ...withoutMaker]],
  [agent('openai', 'loop', 'gpt-5.2'), [...openai, ...withoutMaker]],
  [agent('azure_openai', 'loop', 'my-deployment'), [...openai, ...withoutMaker]],
  [agent('ollama', 'loop', 'llama3.2'), withoutMaker],
  [agent('anthropic', 'claude', 'gpt-5.2'), [...claude, ...openai, ...withoutMaker]],
])('lets an agent with %j choose the models of its provider', (asked, fitting) => {
  expect(modelsForAgent(catalog, asked).map(({ id }) => id)).toEqual(fitting)
})

it('has tier names only for models of Anthropic', () => {
  expect(modelAliasesFor(agent('anthropic', 'loop', 'x'))).toEqual(['auto', 'pro', 'high', 'low'])
  expect(modelAliasesFor(agent('openai', 'loop', 'x'))).toEqual([])
})
