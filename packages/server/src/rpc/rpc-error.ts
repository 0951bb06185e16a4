// Errors of calls in JSON-RPC form.
import { isQuarterdeckError, problemOf, type QuarterdeckError, rpcErrorCodes } from '@quarterdeck/protocol'

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Hides the details of unexpected errors. */
export function rpcErrorOf(error: unknown): RpcError {
  if (!isQuarterdeckError(error) || error.code === 'internal') return internalError(error)
  if (error.code === 'request.invalid') return invalidParams(error)
  return { code: rpcErrorCodes.refused, message: error.message, data: problemOf(error) }
}

function internalError(error: unknown): RpcError {
  const requestId = isQuarterdeckError(error) ? error.facts.requestId : undefined
  const isNamed = typeof requestId === 'string'
  return {
    code: rpcErrorCodes.internal,
    message: isNamed ? `the server failed on this call: see request ${requestId} in its log` : 'the call failed',
    ...(isNamed ? { data: { requestId } } : {}),
  }
}

/** A route separates body, query and params; here they are one object. */
function invalidParams(error: QuarterdeckError): RpcError {
  const inParams = (text: string) => text.replace(/(^|; )(?:body|query)(?=[.:])/g, '$1params')
  const { issues } = error.facts
  const named = Array.isArray(issues) ? issues.map((issue) => ({ ...issue, path: inParams(String(issue.path)) })) : null
  const problem = problemOf(error)
  return {
    code: rpcErrorCodes.invalidParams,
    message: inParams(error.message),
    data: { ...problem, detail: inParams(problem.detail), ...(named === null ? {} : { issues: named }) },
  }
}
