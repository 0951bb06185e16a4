// Selects the wire of a session by its model access.
import type { InProcessAccess, ModelAccess } from '../../../ports/model-access.ts'
import { BackendInitError } from '../../backend-errors.ts'
import { createAnthropicWire } from './anthropic-wire.ts'
import type { ModelWire } from './model-wire.ts'
import type { MaxTokensName } from './openai-parameters.ts'
import { createOpenaiWire } from './openai-wire.ts'
import { reportedId, uniqueId } from './response-fields.ts'

/** Throws `BackendInitError` for access that only the CLI supports. */
export function openWire(access: ModelAccess): ModelWire {
  switch (access.type) {
    case 'gateway':
      return createAnthropicWire({
        baseUrl: access.baseUrl,
        apiKey: access.token,
        keyHeader: 'authorization',
        // The gateway books by the id that it has passed on.
        idOf: (value) => reportedId(value, 'msg'),
      })
    case 'environment':
      return createAnthropicWire({ ...environmentAccess(access.variables), idOf: uniqueMessageId })
    case 'in-process': {
      const { wire, baseUrl, apiKey, keyHeader, apiVersion } = access
      if (wire === 'anthropic') return createAnthropicWire({ baseUrl, apiKey, keyHeader, idOf: uniqueMessageId })
      return createOpenaiWire({ wire, baseUrl, apiKey, apiVersion, maxTokensName: maxTokensName(access) })
    }
  }
}

const uniqueMessageId = (value: unknown): string => uniqueId(value, 'msg')

/** Servers that are only compatible with OpenAI may know only the older name. */
const maxTokensName = ({ provider }: InProcessAccess): MaxTokensName =>
  provider === 'openai' || provider === 'azure_openai' ? 'max_completion_tokens' : 'max_tokens'

/** The provider's own variables, as the CLI would receive them. */
function environmentAccess(variables: Readonly<Record<string, string>>) {
  const baseUrl = variables.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com'
  if (variables.ANTHROPIC_API_KEY !== undefined) {
    return { baseUrl, apiKey: variables.ANTHROPIC_API_KEY, keyHeader: 'x-api-key' } as const
  }
  const token = variables.ANTHROPIC_AUTH_TOKEN ?? variables.CLAUDE_CODE_OAUTH_TOKEN
  if (token !== undefined) return { baseUrl, apiKey: token, keyHeader: 'authorization' } as const
  throw new BackendInitError(
    'only the Claude CLI supports this way to sign in: the engine cannot make requests with it',
  )
}
