import type { BackendName, ModelProvider } from '@quarterdeck/protocol'
import { keySignIns } from '../../ports/sign-in.ts'
import type { AgentContext } from '../agent-context.ts'
import type { AgentFile } from '../schema/agent-file.ts'
import type { ClaudeBlock } from '../schema/claude-block.ts'

/** Providers whose models run in the Claude Agent SDK; the simulator stands in for any of them. */
export const claudeProviders: readonly ModelProvider[] = ['anthropic', 'simulator']

/** The backend written in the file, else the one that fits the provider. */
export function chooseBackend({ file, source }: AgentContext): BackendName {
  const { provider, auth_provider: authProvider } = file.model
  const canBeClaude = claudeProviders.includes(provider)
  const backend = file.backend ?? (canBeClaude ? 'claude' : 'loop')
  if (backend === 'claude' && !canBeClaude) {
    const message = `backend: claude supports Anthropic models only: with provider: ${provider}, remove it or use backend: loop`
    source.refuseValue(['backend'], message)
    return 'loop'
  }
  if (backend === 'loop' && provider === 'anthropic' && !keySignIns.includes(authProvider ?? 'api_key')) {
    const path = ['model', 'auth_provider']
    const message = `not supported yet: auth_provider: ${authProvider} with backend: loop`
    source.report({ severity: 'error', code: 'config.unsupported', path, part: 'value', message })
  }
  return backend
}

/** The settings block of the provider, with the key names of the `claude` block. */
export function providerSettings({ model, claude, openai }: AgentFile): ClaudeBlock {
  if (claudeProviders.includes(model.provider)) return claude ?? {}
  if (openai == null) return {}
  const { permissions, disallowed_tools: disallowed, ...same } = openai
  return {
    ...same,
    allowed_tools: permissions?.allowed_tools,
    disallowed_tools: [...(disallowed ?? []), ...(permissions?.disallowed_tools ?? [])],
  }
}
