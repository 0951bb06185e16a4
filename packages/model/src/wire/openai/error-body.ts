// The error shape of the OpenAI API, and the type and code of each status. Azure uses its own codes.

export type OpenAiFlavour = 'openai' | 'azure'

interface Kind {
  readonly type: string
  readonly code: string | null
  readonly azure: string
}

const kindOfStatus: Readonly<Record<number, Kind>> = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key', azure: '401' },
  403: { type: 'invalid_request_error', code: 'unsupported_country_region_territory', azure: '403' },
  404: { type: 'invalid_request_error', code: 'model_not_found', azure: 'DeploymentNotFound' },
  429: { type: 'requests', code: 'rate_limit_exceeded', azure: '429' },
}

export function openAiErrorBody(status: number, message: string, flavour: OpenAiFlavour) {
  const kind = kindOfStatus[status]
  const type = kind?.type ?? (status >= 500 ? 'server_error' : 'invalid_request_error')
  const code = flavour === 'azure' ? (kind?.azure ?? String(status)) : (kind?.code ?? null)
  return { error: { message, type, param: null, code } }
}
