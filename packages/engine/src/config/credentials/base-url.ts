// Base URLs in the form the official clients expect: with `/v1` for OpenAI and Ollama, only the resource for Azure.
import type { SignIn } from '../../ports/sign-in.ts'
import type { Environment } from '../yaml/environment.ts'

const anthropic = { variable: 'ANTHROPIC_BASE_URL', defaultUrl: 'https://api.anthropic.com' }

const addresses: Readonly<Record<string, { readonly variable: string | null; readonly defaultUrl: string | null }>> = {
  openai: { variable: 'OPENAI_BASE_URL', defaultUrl: 'https://api.openai.com/v1' },
  azure_openai: { variable: 'AZURE_OPENAI_ENDPOINT', defaultUrl: null },
  ollama: { variable: null, defaultUrl: 'http://localhost:11434' },
}

const addressOf = (signIn: SignIn) => addresses[signIn] ?? anthropic

/** The provider's default address; `null` if every customer has their own. */
export const defaultBaseUrl = (signIn: SignIn): string | null => addressOf(signIn).defaultUrl

/** The variable that overrides the file; `null` if there is none. */
export const baseUrlVariable = (signIn: SignIn): string | null => addressOf(signIn).variable

/** The address of the environment overrides the file, as for every other setting. */
export function baseUrlOf(signIn: SignIn, endpoint: string | null, env: Environment): string {
  const { variable, defaultUrl } = addressOf(signIn)
  const fromEnvironment = variable === null ? undefined : env[variable]?.trim()
  const url = (fromEnvironment || endpoint || defaultUrl || '').replace(/\/+$/, '')
  return signIn === 'ollama' && URL.canParse(url) && new URL(url).pathname === '/' ? `${url}/v1` : url
}
