// Checks the address that receives the key: a host other than the provider's own causes a warning.
import type { ModelSource } from '@quarterdeck/protocol'
import { keySignIns, type SignIn } from '../../ports/sign-in.ts'
import type { AgentContext } from '../agent-context.ts'
import { baseUrlVariable, defaultBaseUrl } from '../credentials/base-url.ts'
import { formatPath } from '../problems/value-path.ts'
import { asWritten } from '../schema/describe-issue.ts'

/** Returns the endpoint of the file if it applies. */
export function checkEndpoint(context: AgentContext, signIn: SignIn, modelSource: ModelSource): string | null {
  const { file, env, source } = context
  const endpoint = file.model.endpoint ?? null
  const path = ['model', 'endpoint']
  if (file.model.provider === 'simulator') return null
  const name = baseUrlVariable(signIn)
  const variable = (name === null ? undefined : env[name]?.trim()) || null
  if (endpoint !== null && !keySignIns.includes(signIn)) {
    const message = `"model.endpoint" does not work with auth_provider: ${signIn}`
    source.report({ severity: 'error', code: 'config.unsupported', path, message })
    return null
  }
  if (endpoint !== null && variable !== null) {
    source.warnNoEffect(path, `${name} is set and overrides it`)
  }
  if (signIn === 'custom' && endpoint === null && variable === null) {
    const message = `auth_provider: custom without "model.endpoint" or ANTHROPIC_BASE_URL uses ${defaultBaseUrl(signIn)}`
    source.report({ severity: 'warning', code: 'config.hint', path: ['model', 'auth_provider'], message })
  }
  if (variable !== null && !isAddress(variable)) {
    source.refuse([], `${name} must be an http or https address without a user name or password`)
  }
  if (endpoint !== null && !isAddress(endpoint)) {
    const message = '"model.endpoint" must be an address without a user name or password'
    source.report({ severity: 'error', code: 'config.exposed-secret', path, message })
    return null
  }
  if (modelSource === 'provider') {
    warnAboutHost(context, {
      signIn,
      address: variable ?? endpoint,
      path,
      what: 'the key and every message to the model',
    })
  }
  return endpoint
}

export interface KeyTarget {
  readonly signIn: SignIn
  readonly address: string | null
  readonly path: readonly string[]
  /** The data sent to the address. */
  readonly what: string
}

/** Trusts an address from the user's own shell; warns about one from a file. */
export function warnAboutHost({ source, options }: AgentContext, { signIn, address, path, what }: KeyTarget): void {
  const name = baseUrlVariable(signIn)
  const isFromShell = name !== null && Boolean(options.env[name]?.trim())
  if (address === null || isFromShell || !isAddress(address)) return
  const { hostname, host, protocol } = new URL(address)
  if (isThisMachine(hostname) || isOwnHost(signIn, hostname)) return
  const shown = source.substitutions.has(formatPath(path)) ? asWritten(source, path, address) : host
  const plain = protocol === 'http:' ? ', unencrypted' : ''
  const message = `${what} is sent to ${shown}${plain}`
  source.report({ severity: 'warning', code: 'config.hint', path, part: 'value', message })
}

export const isThisMachine = (hostname: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

const azureHosts = /\.(?:openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/

function isOwnHost(signIn: SignIn, hostname: string): boolean {
  if (signIn === 'azure_openai') return azureHosts.test(hostname)
  const defaultUrl = defaultBaseUrl(signIn)
  return defaultUrl !== null && hostname === new URL(defaultUrl).hostname
}

export function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}
