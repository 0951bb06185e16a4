// The address a provider is reached at, in the form its official client takes it: with `/v1` for OpenAI and Ollama, the
// resource alone for Azure.
import type { Environment } from '../yaml/environment.ts'
import type { SignIn } from './sign-in.ts'

const anthropic = { variable: 'ANTHROPIC_BASE_URL', defaultUrl: 'https://api.anthropic.com' }

const addresses: Readonly<Record<string, { readonly variable: string | null; readonly defaultUrl: string | null }>> = {
  openai: { variable: 'OPENAI_BASE_URL', defaultUrl: 'https://api.openai.com/v1' },
  azure_openai: { variable: 'AZURE_OPENAI_ENDPOINT', defaultUrl: null },
  ollama: { variable: null, defaultUrl: 'http://localhost:11434' },
}

const addressOf = (signIn: SignIn) => addresses[signIn] ?? anthropic

/** The provider's own address; `null` where every customer has another. */
export const defaultBaseUrl = (signIn: SignIn): string | null => addressOf(signIn).defaultUrl

/** The variable that wins over the file; `null` where there is none. */
export const baseUrlVariable = (signIn: SignIn): string | null => addressOf(signIn).variable

/** The environment's address wins over the file's, as every environment setting does. */
export function baseUrlOf(signIn: SignIn, endpoint: string | null, env: Environment): string {
  const { variable, defaultUrl } = addressOf(signIn)
  const fromEnvironment = variable === null ? undefined : env[variable]?.trim()
  const url = (fromEnvironment || endpoint || defaultUrl || '').replace(/\/+$/, '')
  return signIn === 'ollama' && URL.canParse(url) && new URL(url).pathname === '/' ? `${url}/v1` : url
}
