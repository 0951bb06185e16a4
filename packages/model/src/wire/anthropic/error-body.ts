// The documented error shape of the Messages API and the type that belongs to each status.

type ApiErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'api_error'
  | 'timeout_error'
  | 'overloaded_error'

export const apiErrorBody = (type: string, message: string, requestId: string) =>
  ({ type: 'error', error: { type, message }, request_id: requestId }) as const

const typeOfStatus: Readonly<Record<number, ApiErrorType>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

export const errorTypeOfStatus = (status: number): ApiErrorType =>
  typeOfStatus[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
