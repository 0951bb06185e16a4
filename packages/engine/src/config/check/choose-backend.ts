import type { BackendName, ModelProvider } from '@quarterdeck/protocol'
import { keySignIns } from '../credentials/sign-in.ts'
import type { AgentContext } from '../resolve/resolve-agent.ts'

/** Providers whose models the Claude Agent SDK runs; the simulator plays any of them. */
export const claudeProviders: readonly ModelProvider[] = ['anthropic', 'simulator']

/** The runtime: the one that is written, else the one that fits the provider. */
export function chooseBackend({ file, source }: AgentContext): BackendName {
  const { provider, auth_provider: authProvider } = file.model
  const canBeClaude = claudeProviders.includes(provider)
  const backend = file.backend ?? (canBeClaude ? 'claude' : 'loop')
  if (backend === 'claude' && !canBeClaude) {
    const message = `backend: claude runs Anthropic's models only: with provider: ${provider} leave it out or say loop`
    source.report({ severity: 'error', code: 'config.invalid', path: ['backend'], part: 'value', message })
    return 'loop'
  }
  if (backend === 'loop' && provider === 'anthropic' && !keySignIns.includes(authProvider ?? 'api_key')) {
    const path = ['model', 'auth_provider']
    const message = `not supported yet: auth_provider: ${authProvider} with backend: loop`
    source.report({ severity: 'error', code: 'config.unsupported', path, part: 'value', message })
  }
  return backend
}
