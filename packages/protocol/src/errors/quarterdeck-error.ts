// The closed list of expected errors, with HTTP status and exit code.
import { z } from 'zod'

interface ErrorKind {
  readonly status: number
  readonly exitCode: 1 | 2 | 3
  readonly title: string
}

const kinds = {
  'config.invalid': { status: 422, exitCode: 2, title: 'The agent file is not valid' },
  'config.unreadable': { status: 422, exitCode: 2, title: 'A file could not be read' },
  'config.missing-credential': { status: 422, exitCode: 2, title: 'A credential is missing' },
  'config.unsupported': { status: 422, exitCode: 2, title: 'Not supported yet' },
  'agent.not-found': { status: 404, exitCode: 2, title: 'No such agent' },
  'agent.unsandboxed': { status: 403, exitCode: 2, title: 'The agent cannot be sandboxed on this machine' },
  'agent.unconfirmed': { status: 403, exitCode: 2, title: 'The agent is waiting for confirmation' },
  'agent.change-not-found': { status: 404, exitCode: 2, title: 'No such agent change is waiting' },
  'model.unknown': { status: 422, exitCode: 2, title: 'Unknown model' },
  'session.not-found': { status: 404, exitCode: 2, title: 'No such session' },
  'session.closed': { status: 409, exitCode: 1, title: 'The session is closed' },
  'session.busy': { status: 409, exitCode: 1, title: 'The session is busy' },
  'session.not-running': { status: 409, exitCode: 1, title: 'Nothing is running in this session' },
  'session.held-elsewhere': { status: 409, exitCode: 3, title: 'Another process holds this session' },
  'approval.not-found': { status: 404, exitCode: 2, title: 'No such approval' },
  'approval.already-decided': { status: 409, exitCode: 1, title: 'This approval was already decided' },
  'approval.rule-not-found': { status: 404, exitCode: 2, title: 'No such rule in this session' },
  'question.not-found': { status: 404, exitCode: 2, title: 'No such question' },
  'question.already-answered': { status: 409, exitCode: 1, title: 'This question was already answered' },
  'client-call.not-found': { status: 404, exitCode: 2, title: 'No such client tool call' },
  'client-call.already-returned': { status: 409, exitCode: 1, title: 'This call already has a result' },
  'message.not-found': { status: 404, exitCode: 2, title: 'No such message' },
  'message.delivered': { status: 409, exitCode: 1, title: 'The message was already delivered' },
  'rewind.unavailable': { status: 409, exitCode: 1, title: 'Cannot rewind to this message' },
  'subagent.not-found': { status: 404, exitCode: 2, title: 'No such subagent' },
  'analysis.expired': { status: 410, exitCode: 1, title: 'The analysis is parked because no client was connected' },
  'analysis.no-sql': { status: 502, exitCode: 1, title: 'The model wrote no SQL' },
  'analysis.failed': { status: 502, exitCode: 3, title: 'The analysis did not finish' },
  'budget.not-found': { status: 404, exitCode: 2, title: 'No such budget' },
  'key.exists': { status: 409, exitCode: 2, title: 'A key with this name already exists' },
  'key.not-found': { status: 404, exitCode: 2, title: 'No such key' },
  'audit.broken': { status: 409, exitCode: 1, title: 'The audit chain is broken' },
  'store.conflict': { status: 409, exitCode: 3, title: 'Another process wrote to this session' },
  'store.held': { status: 409, exitCode: 3, title: 'The data folder is in use' },
  'store.corrupt': { status: 500, exitCode: 3, title: 'The data folder cannot be read' },
  'store.unavailable': { status: 503, exitCode: 3, title: 'The data folder cannot be written' },
  'cursor.malformed': { status: 400, exitCode: 2, title: 'Malformed cursor' },
  'cursor.beyond-log': { status: 412, exitCode: 2, title: 'The cursor is beyond the end of the log' },
  'request.invalid': { status: 400, exitCode: 2, title: 'The request is not valid' },
  'request.invalid-json': { status: 400, exitCode: 2, title: 'The body is not JSON' },
  'request.timeout': { status: 408, exitCode: 3, title: 'The request took too long to arrive' },
  'request.too-large': { status: 413, exitCode: 2, title: 'The request is too large' },
  'request.uri-too-long': { status: 414, exitCode: 2, title: 'The address is too long' },
  'request.unsupported-media-type': { status: 415, exitCode: 2, title: 'Unsupported media type' },
  'request.idempotency-mismatch': {
    status: 422,
    exitCode: 2,
    title: 'The idempotency key was used for another request',
  },
  'request.upgrade-required': { status: 426, exitCode: 2, title: 'This address only accepts WebSocket connections' },
  'request.rate-limited': { status: 429, exitCode: 3, title: 'Too many requests' },
  'request.route-not-found': { status: 404, exitCode: 2, title: 'No such address' },
  'request.method-not-allowed': { status: 405, exitCode: 2, title: 'This address does not accept that method' },
  'auth.required': { status: 401, exitCode: 2, title: 'A token is required' },
  'auth.invalid': { status: 401, exitCode: 2, title: 'The token is not valid' },
  'auth.forbidden': { status: 403, exitCode: 2, title: 'This key may not do that' },
  'auth.host-refused': { status: 403, exitCode: 2, title: 'This host name is not served' },
  'auth.origin-refused': { status: 403, exitCode: 2, title: 'This origin is not allowed' },
  'server.draining': { status: 503, exitCode: 3, title: 'The server is shutting down' },
  'server.unreachable': { status: 503, exitCode: 3, title: 'The server does not answer' },
  'tool.unavailable': { status: 502, exitCode: 3, title: 'A tool could not start' },
  'backend.init': { status: 502, exitCode: 3, title: 'The backend could not start' },
  'backend.crashed': { status: 502, exitCode: 3, title: 'The backend stopped unexpectedly' },
  'backend.timeout': { status: 504, exitCode: 3, title: 'The backend took too long' },
  'backend.budget': { status: 402, exitCode: 1, title: 'The budget does not allow this turn' },
  internal: { status: 500, exitCode: 3, title: 'Internal error' },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof kinds
export const errorCodes = Object.keys(kinds) as [ErrorCode, ...ErrorCode[]] // Object.keys loses the literal keys

export const errorKind = (code: ErrorCode): ErrorKind => kinds[code]

/** `problemOf` places facts beside the fields of the problem, so they need other names. */
export type ErrorFacts = Readonly<Record<string, unknown>> & {
  readonly [Name in 'type' | 'title' | 'status' | 'code' | 'detail' | 'instance']?: never
}

/** An expected failure: a code from the list, a sentence that says what to do, and the facts behind it. */
export class QuarterdeckError extends Error {
  override readonly name = 'QuarterdeckError'
  readonly code: ErrorCode
  readonly facts: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, detail: string, options: { facts?: ErrorFacts; cause?: unknown } = {}) {
    super(detail, options.cause === undefined ? {} : { cause: options.cause })
    this.code = code
    this.facts = options.facts ?? {}
  }
}

export const isQuarterdeckError = (error: unknown, code?: ErrorCode): error is QuarterdeckError =>
  error instanceof QuarterdeckError && (code === undefined || error.code === code)

/** RFC 9457 problem details, the body of every HTTP error. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(errorCodes),
    detail: z.string(),
    instance: z.string().optional(),
  })
  .loose()
  .meta({ id: 'Problem' })
export type Problem = z.infer<typeof Problem>

export function problemOf(error: QuarterdeckError, instance?: string): Problem {
  const kind = errorKind(error.code)
  return {
    ...error.facts,
    type: `https://quarterdeck.dev/errors/${error.code}`,
    title: kind.title,
    status: kind.status,
    code: error.code,
    detail: error.message,
    ...(instance === undefined ? {} : { instance }),
  }
}
