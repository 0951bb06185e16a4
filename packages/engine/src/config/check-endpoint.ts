// The address a key is sent to. It may come from a file somebody else wrote, so wherever it is not the provider's own, the
// person hears where their key goes.
import type { ModelSource } from '@quarterdeck/protocol'
import { defaultBaseUrl, gatewayProviders } from './credentials.ts'
import { asWritten } from './describe-issue.ts'
import type { AgentContext } from './resolve-agent.ts'

/** The endpoint of the file, if it counts. */
export function checkEndpoint(context: AgentContext, modelSource: ModelSource): string | null {
  const { file, env, source } = context
  const endpoint = file.model.endpoint ?? null
  const path = ['model', 'endpoint']
  const authProvider = file.model.auth_provider ?? 'api_key'
  if (file.model.provider === 'simulator') return null
  const variable = env.ANTHROPIC_BASE_URL?.trim() || null
  if (endpoint !== null && !gatewayProviders.includes(authProvider)) {
    const message = `"model.endpoint" does not work with auth_provider: ${authProvider}`
    source.report({ severity: 'error', code: 'config.unsupported', path, message })
    return null
  }
  if (endpoint !== null && variable !== null) {
    const message = '"model.endpoint" has no effect: ANTHROPIC_BASE_URL is set and wins'
    source.report({ severity: 'warning', code: 'config.no-effect', path, message })
  }
  if (authProvider === 'custom' && endpoint === null && variable === null) {
    const message = `auth_provider: custom without "model.endpoint" or ANTHROPIC_BASE_URL goes to ${defaultBaseUrl}`
    source.report({ severity: 'warning', code: 'config.hint', path: ['model', 'auth_provider'], message })
  }
  if (variable !== null && !isAddress(variable)) {
    const message = 'ANTHROPIC_BASE_URL must be an http or https address without a name or password in it'
    source.report({ severity: 'error', code: 'config.invalid', path: [], message })
  }
  if (endpoint !== null && !isAddress(endpoint)) {
    const message = '"model.endpoint" must be an address without a name or password in it'
    source.report({ severity: 'error', code: 'config.exposed-secret', path, message })
    return null
  }
  if (modelSource === 'provider') warnAboutHost(context, variable ?? endpoint)
  return endpoint
}

/** An address the person's own shell gives is theirs; one from a file is somebody's, perhaps not theirs. */
function warnAboutHost({ source, options }: AgentContext, address: string | null): void {
  const isFromShell = Boolean(options.env.ANTHROPIC_BASE_URL?.trim())
  if (address === null || isFromShell || !isAddress(address)) return
  const { hostname, host, protocol } = new URL(address)
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  if (isHere || hostname === new URL(defaultBaseUrl).hostname) return
  const path = ['model', 'endpoint']
  const shown = source.substitutions.has('model.endpoint') ? asWritten(source, path, address) : host
  const plain = protocol === 'http:' ? ', unencrypted' : ''
  const message = `the key and everything said to the model is sent to ${shown}${plain}`
  source.report({ severity: 'warning', code: 'config.hint', path, part: 'value', message })
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}
