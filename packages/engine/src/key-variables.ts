import type { AgentDefinition, AuthProvider } from '@quarterdeck/protocol'

/** What to check when the provider refuses the key of an agent that signs in like this. */
export const keyVariables: Readonly<Record<AuthProvider, string>> = {
  api_key: 'ANTHROPIC_API_KEY',
  oauth_token: 'CLAUDE_CODE_OAUTH_TOKEN',
  bedrock: 'the AWS credentials',
  vertex: 'the Google Cloud credentials',
  foundry: 'the Azure credentials',
  custom: 'ANTHROPIC_AUTH_TOKEN',
}

/** The same for any provider. */
export function keyVariableOf({ provider, authProvider }: AgentDefinition['model']): string {
  switch (provider) {
    case 'openai':
      return 'OPENAI_API_KEY'
    case 'azure_openai':
      return 'AZURE_OPENAI_API_KEY'
    case 'ollama':
      return 'model.api_key'
    default:
      return keyVariables[authProvider]
  }
}
