import type { AgentDefinition } from '@quarterdeck/protocol'
import { type SignIn, signInOf } from '../config/credentials/sign-in.ts'

/** Where the key is, of those who sign in with one. */
export const keyVariables: Partial<Record<SignIn, string>> & Readonly<Record<OneKey, string>> = {
  api_key: 'ANTHROPIC_API_KEY',
  custom: 'ANTHROPIC_AUTH_TOKEN',
  oauth_token: 'CLAUDE_CODE_OAUTH_TOKEN',
  openai: 'OPENAI_API_KEY',
  azure_openai: 'AZURE_OPENAI_API_KEY',
}
type OneKey = 'api_key' | 'custom' | 'oauth_token' | 'openai' | 'azure_openai'

/** What else there is to check. */
const others: Readonly<Record<Exclude<SignIn, OneKey>, string>> = {
  bedrock: 'the AWS credentials',
  vertex: 'the Google Cloud credentials',
  foundry: 'the Azure credentials',
  ollama: 'model.api_key',
}

/** What to check when the provider refuses the key of an agent that signs in like this. */
export function keyVariableOf({ provider, authProvider }: AgentDefinition['model']): string {
  return { ...others, ...keyVariables }[signInOf(provider, authProvider)]
}
