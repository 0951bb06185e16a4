// The catalog lists models of every provider, and an agent uses one provider: the models that a session may choose.
import type { AgentDefinition } from '../agents/agent-definition.ts'
import { autoModel, type CatalogModel, findModel, ModelTier } from './model-catalog.ts'

type Asked = Pick<AgentDefinition, 'backend'> & { readonly model: Pick<AgentDefinition['model'], 'provider' | 'id'> }
type Maker = 'anthropic' | 'openai'

/** The provider of a model by its name; `null` if the name does not tell, as for a deployment or a local model. */
function makerOf(id: string): Maker | null {
  if (findModel(id) !== undefined || /claude/i.test(id)) return 'anthropic'
  return /^(?:chatgpt|gpt|o\d)(?![a-z])(?!-oss)/i.test(id) ? 'openai' : null
}

/** Whether operators choose the model names themselves (deployments, local models), so that no catalog can list them. */
export const hasFreeModelNames = (provider: Asked['model']['provider']): boolean =>
  provider === 'ollama' || provider === 'azure_openai'

/** `null`: it simulates any of them. */
function makersAt({ backend, model }: Asked): readonly Maker[] | null {
  const own = makerOf(model.id)
  const named = own === null ? [] : [own]
  switch (model.provider) {
    case 'anthropic':
      return [...named, 'anthropic']
    case 'simulator':
      return backend === 'claude' ? [...named, 'anthropic'] : null
    case 'openai':
    case 'azure_openai':
      return [...named, 'openai']
    case 'ollama':
      return named
  }
}

export function modelsForAgent<Model extends Pick<CatalogModel, 'id'>>(
  catalog: readonly Model[],
  agent: Asked,
): readonly Model[] {
  const makers = makersAt(agent)
  if (makers === null) return catalog
  return catalog.filter(({ id }) => {
    const maker = makerOf(id)
    return id === agent.model.id || maker === null || makers.includes(maker)
  })
}

/** `auto` and the tiers stand for models of Anthropic. */
export const modelAliasesFor = ({ model }: Asked): readonly string[] =>
  model.provider === 'anthropic' || model.provider === 'simulator' ? [autoModel, ...ModelTier.options] : []
