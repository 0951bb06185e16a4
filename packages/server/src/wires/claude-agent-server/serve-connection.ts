// One connection and its session, which begins with the first message and outlives the connection.
import type { Logger, SessionService } from '@quarterdeck/engine'
import {
  type AgentDefinition,
  assertNever,
  type Principal,
  QuarterdeckError,
  type SessionId,
} from '@quarterdeck/protocol'
import type { Frame, Socket } from '../../transports/socket.ts'
import type { ClientConfig, NotApplied } from './client-config.ts'
import { isExpected, sentenceOf } from './error-sentence.ts'
import { type FollowedSession, followSession } from './followed-session.ts'
import { type ClientMessage, errorFrame, type FrameIn, type FrameOut, messageOf } from './frames.ts'
import { readFrame } from './read-frame.ts'

export interface ConnectionDeps {
  readonly sessions: SessionService
  readonly principal: Principal
  readonly loadAgent: () => Promise<AgentDefinition>
  /** As it is now: a client may post another one at any time. */
  readonly config: () => ClientConfig
  /** Throws when it is too much. */
  readonly countChange: () => void
  /** Throws while the server goes. */
  readonly refuseNewWork: () => void
  readonly logger: Logger
  /** A session that was there before. Its frames begin here: what was said before is in the log. */
  readonly joined: { readonly sessionId: SessionId; readonly seq: number } | null
}

/** Resolves when the connection is over. The session stays, and what it does goes on. */
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
    // Read once: a session is made of one configuration, whatever is posted meanwhile.
    const config = deps.config()
    const agent = await deps.loadAgent()
    reportNotApplied(config, agent)
    const { overrides } = config.settle(agent)
    const body = { agent: agent.name, message: content, images, isCatalogOnly: true, ...overrides }
    const { sessionId } = await sessions.create(body, by)
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

  /** Nonsense counts too. Only stopping is never too much. */
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

type AnswerFrame = Extract<FrameIn, { type: 'approval_response' | 'question_response' }>

async function answer(frame: AnswerFrame, followed: FollowedSession | null, deps: ConnectionDeps): Promise<void> {
  const { sessions, principal } = deps
  if (frame.type === 'approval_response') {
    const { approvalId, ...decision } = frame.data
    requireAsked(followed, approvalId)
    await sessions.decide(approvalId, decision, principal.name)
  } else {
    const { questionId, ...given } = frame.data
    requireAsked(followed, questionId)
    await sessions.answer(questionId, given, principal.name)
  }
}

function requireAsked(followed: FollowedSession | null, id: string): void {
  if (followed?.wasAsked(id) === true) return
  throw new QuarterdeckError('request.invalid', `nothing with the id ${JSON.stringify(id)} was asked here`)
}

/** Tells what of a configuration has no effect, once for each. */
function createNotAppliedReporter(send: (frame: FrameOut) => void) {
  let reportedConfig: ClientConfig | null = null
  return (config: ClientConfig, agent: AgentDefinition): void => {
    if (reportedConfig === config) return
    reportedConfig = config
    const { notApplied } = config.settle(agent)
    if (Object.keys(notApplied).length > 0) send({ type: 'info', data: inWords(notApplied) })
  }
}

const inWords = (notApplied: NotApplied): string =>
  `not applied: ${Object.entries(notApplied)
    .map(([field, why]) => `${field} (${why})`)
    .join('; ')}`.slice(0, 4000)
