import type { AgentDefinition, AuthProvider, ModelProvider } from '@quarterdeck/protocol'

/** Anthropic supports several ways to sign in, every other provider one. */
export type SignIn = AuthProvider | 'openai' | 'azure_openai' | 'ollama'

export const signInOf = (provider: ModelProvider, authProvider: AuthProvider): SignIn =>
  provider === 'anthropic' || provider === 'simulator' ? authProvider : provider

/** Ways to sign in with one key, which a pass-through proxy can present for the agent. */
export const keySignIns: readonly SignIn[] = ['api_key', 'custom', 'openai', 'azure_openai', 'ollama']

/** The environment variable of the key, for sign-ins that have one. */
export const keyVariables: Partial<Record<SignIn, string>> & Readonly<Record<OneKey, string>> = {
  api_key: 'ANTHROPIC_API_KEY',
  custom: 'ANTHROPIC_AUTH_TOKEN',
  oauth_token: 'CLAUDE_CODE_OAUTH_TOKEN',
  openai: 'OPENAI_API_KEY',
  azure_openai: 'AZURE_OPENAI_API_KEY',
}
type OneKey = 'api_key' | 'custom' | 'oauth_token' | 'openai' | 'azure_openai'

const otherCredentials: Readonly<Record<Exclude<SignIn, OneKey>, string>> = {
  bedrock: 'the AWS credentials',
  vertex: 'the Google Cloud credentials',
  foundry: 'the Azure credentials',
  ollama: 'model.api_key',
}

/** The credential to check when the provider refuses the key of an agent with this model. */
export const keyVariableOf = ({ provider, authProvider }: AgentDefinition['model']): string =>
  ({ ...otherCredentials, ...keyVariables })[signInOf(provider, authProvider)]
