// One connection and its session, which starts with the first message and survives the connection.
import type { Logger, SessionService } from '@quarterdeck/engine'
import {
  type AgentDefinition,
  assertNever,
  isRecord,
  type Principal,
  QuarterdeckError,
  type SessionId,
} from '@quarterdeck/protocol'
import { parseBoundedJson } from '../../http/read-body.ts'
import type { Frame, Socket } from '../../transports/socket.ts'
import type { ClientConfig, NotApplied } from './client-config.ts'
import { isExpected, sentenceOf } from './error-sentence.ts'
import { type FollowedSession, followSession } from './followed-session.ts'
import { type ClientMessage, errorFrame, FrameIn, type FrameOut, frameTypes, messageOf } from './frames.ts'

export interface ConnectionDeps {
  readonly sessions: SessionService
  readonly principal: Principal
  readonly loadAgent: () => Promise<AgentDefinition>
  /** The current configuration: a client may post another one at any time. */
  readonly config: () => ClientConfig
  /** Throws beyond the rate limit. */
  readonly countChange: () => void
  /** Throws while the server stops. */
  readonly refuseNewWork: () => void
  readonly logger: Logger
  /** An existing session to join. Frames start after `seq`; earlier events are in the log. */
  readonly joined: { readonly sessionId: SessionId; readonly seq: number } | null
}

/** Resolves when the connection ends. The session and its work continue. */
export async function serveConnection(socket: Socket, deps: ConnectionDeps): Promise<void> {
  const connection = openConnection(socket, deps)
  await connection.greet()
  for await (const frame of socket.frames()) {
    await connection.take(frame)
    await socket.drained()
  }
}

function openConnection(socket: Socket, deps: ConnectionDeps) {
  const { sessions, principal, joined } = deps
  const by = principal.name
  const send = (frame: FrameOut): boolean => socket.send(JSON.stringify(frame))
  const reportNotApplied = createNotAppliedReporter(send)
  let followed: FollowedSession | null = null

  function fail(error: unknown): void {
    if (!isExpected(error)) deps.logger.error({ wire: 'claude-agent-server', error }, 'a frame failed unexpectedly')
    send(errorFrame(sentenceOf(error)))
  }

  function follow(sessionId: SessionId, mutedUntil: number, { isPartial }: ClientConfig): void {
    followed = followSession({ sessionId, mutedUntil, isPartial }, { sessions, by, socket, send, fail })
  }

  async function greet(): Promise<void> {
    send({ type: 'connected' })
    const config = deps.config()
    try {
      reportNotApplied(config, await deps.loadAgent())
    } catch (error) {
      fail(error)
    }
    if (joined !== null) follow(joined.sessionId, joined.seq, config)
  }

  async function begin({ content, images }: ClientMessage): Promise<void> {
    // Read once: a session is created from one configuration, even if another is posted meanwhile.
    const config = deps.config()
    const agent = await deps.loadAgent()
    reportNotApplied(config, agent)
    const { overrides } = config.settle(agent)
    const body = { agent: agent.name, message: content, images, isCatalogOnly: true, ...overrides }
    const { sessionId } = await sessions.createSession(body, by)
    follow(sessionId, 0, config)
  }

  async function act(frame: FrameIn): Promise<void> {
    switch (frame.type) {
      case 'user_message': {
        const message = messageOf(frame.data)
        deps.refuseNewWork()
        return followed === null ? begin(message) : followed.sendMessage(message)
      }
      case 'interrupt':
        return followed?.interrupt()
      case 'approval_response':
      case 'question_response':
        return answer(frame, followed, deps)
      default:
        return assertNever(frame)
    }
  }

  /** Invalid frames count too; only interrupts do not. */
  function readCounted(frame: Frame): FrameIn | null {
    let read: FrameIn | null = null
    try {
      read = readFrame(frame)
      return read
    } finally {
      if (read?.type !== 'interrupt') deps.countChange()
    }
  }

  async function take(frame: Frame): Promise<void> {
    try {
      const read = readCounted(frame)
      if (read !== null) await act(read)
    } catch (error) {
      fail(error)
    }
  }

  return { greet, take }
}

/** Parses a frame; `null` for an unknown type, which the original ignores. Throws for invalid frames. */
function readFrame(frame: Frame): FrameIn | null {
  if (frame.type === 'binary') throw invalid('a frame must be text')
  if (frame.type === 'too-large') throw invalid(`a frame of ${frame.bytes} bytes is too large`)
  const parsed = parseBoundedJson(frame.text)
  if (parsed.type !== 'value') throw invalid(parsed.why)
  const { value } = parsed
  if (!isRecord(value)) throw invalid('must be an object')
  if (typeof value.type !== 'string') throw invalid('type: must be a string')
  return frameTypes.has(value.type) ? FrameIn.parse(value) : null
}

const invalid = (why: string): QuarterdeckError =>
  new QuarterdeckError('request.invalid', `Invalid message format: ${why}`)

type AnswerFrame = Extract<FrameIn, { type: 'approval_response' | 'question_response' }>

async function answer(frame: AnswerFrame, followed: FollowedSession | null, deps: ConnectionDeps): Promise<void> {
  const { sessions, principal } = deps
  if (frame.type === 'approval_response') {
    const { approvalId, ...decision } = frame.data
    requireAsked(followed, approvalId)
    await sessions.decideApproval(approvalId, decision, principal.name)
  } else {
    const { questionId, ...given } = frame.data
    requireAsked(followed, questionId)
    await sessions.answerQuestion(questionId, given, principal.name)
  }
}

function requireAsked(followed: FollowedSession | null, id: string): void {
  if (followed?.wasAsked(id) === true) return
  throw new QuarterdeckError(
    'request.invalid',
    `no approval or question with the id ${JSON.stringify(id)} was sent on this connection`,
  )
}

/** Reports the fields without effect, once per configuration. */
function createNotAppliedReporter(send: (frame: FrameOut) => void) {
  let reportedConfig: ClientConfig | null = null
  return (config: ClientConfig, agent: AgentDefinition): void => {
    if (reportedConfig === config) return
    reportedConfig = config
    const { notApplied } = config.settle(agent)
    if (Object.keys(notApplied).length > 0) send({ type: 'info', data: notAppliedText(notApplied) })
  }
}

const notAppliedText = (notApplied: NotApplied): string =>
  `not applied: ${Object.entries(notApplied)
    .map(([field, why]) => `${field} (${why})`)
    .join('; ')}`.slice(0, 4000)
