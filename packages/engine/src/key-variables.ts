import type { AuthProvider } from '@quarterdeck/protocol'

/** What to check when the provider refuses the key of an agent that signs in like this. */
export const keyVariables: Readonly<Record<AuthProvider, string>> = {
  api_key: 'ANTHROPIC_API_KEY',
  oauth_token: 'CLAUDE_CODE_OAUTH_TOKEN',
  bedrock: 'the AWS credentials',
  vertex: 'the Google Cloud credentials',
  foundry: 'the Azure credentials',
  custom: 'ANTHROPIC_AUTH_TOKEN',
}
