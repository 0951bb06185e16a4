import type { AgentDefinition } from '@quarterdeck/protocol'

/** The conventions' names; those they do not have are ours. */
const providers = {
  anthropic: 'anthropic',
  openai: 'openai',
  azure_openai: 'azure.ai.openai',
  ollama: 'ollama',
} as const
const clouds: Readonly<Record<string, string>> = {
  bedrock: 'aws.bedrock',
  vertex: 'gcp.vertex_ai',
  foundry: 'azure.ai.inference',
}

export function providerName({ model, modelSource }: AgentDefinition): string {
  if (modelSource === 'simulator' || model.provider === 'simulator') return 'simulator'
  return (model.provider === 'anthropic' ? clouds[model.authProvider] : undefined) ?? providers[model.provider]
}
