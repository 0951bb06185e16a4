import type { AuthProvider, ModelProvider } from '@quarterdeck/protocol'

/** Anthropic knows several ways of signing in, everybody else one. */
export type SignIn = AuthProvider | 'openai' | 'azure_openai' | 'ollama'

export const signInOf = (provider: ModelProvider, authProvider: AuthProvider): SignIn =>
  provider === 'anthropic' || provider === 'simulator' ? authProvider : provider

/** Ways of signing in with one key, which a pass-through proxy can show for the agent. */
export const keySignIns: readonly SignIn[] = ['api_key', 'custom', 'openai', 'azure_openai', 'ollama']
