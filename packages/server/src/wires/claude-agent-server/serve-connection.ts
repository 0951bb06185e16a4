// One connection and its session, which begins with the first message and outlives the connection.
import type { EventSink, Logger, SessionService } from '@quarterdeck/engine'
import {
  type AgentDefinition,
  isDurable,
  isQuarterdeckError,
  mayDo,
  type Principal,
  QuarterdeckError,
  type SessionId,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { ZodError } from 'zod'
import type { Frame, Socket } from '../../transports/socket.ts'
import { type Asks, askFrame } from './ask-frame.ts'
import type { ClientConfig, NotApplied } from './client-config.ts'
import { errorFrame, type FrameIn, type FrameOut, messageOf } from './frames.ts'
import { readFrame } from './read-frame.ts'
import { createSdkMessages, type SdkMessages } from './sdk-messages.ts'

export interface ConnectionDeps {
  readonly sessions: SessionService
  readonly principal: Principal
  readonly loadAgent: () => Promise<AgentDefinition>
  /** As it is now: a client may post another one at any time. */
  readonly config: () => ClientConfig
  readonly countChange: (principal: Principal) => void
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
    await socket.room()
  }
}

/** What a session is known to be doing, as its events tell it. */
interface Followed {
  readonly sessionId: SessionId
  readonly messages: SdkMessages
  /** Events up to this one happened before the connection. */
  readonly mutedUntil: number
  readonly asks: Asks
  /** Why it stands still, if it does. */
  held: string | null
  waiting: number
  /** An interrupt came before the turn it was meant for. */
  isUnwanted: boolean
}

/** More are refused: nobody types ahead so far. */
const maxWaiting = 100

function openConnection(socket: Socket, deps: ConnectionDeps) {
  const { sessions, principal, joined } = deps
  const by = principal.name
  let followed: Followed | null = null
  let toldOf: ClientConfig | null = null

  const send = (frame: FrameOut): boolean => socket.send(JSON.stringify(frame))

  function fail(error: unknown): void {
    if (!isExpected(error)) deps.logger.error({ wire: 'claude-agent-server', error }, 'a frame failed unexpectedly')
    send(errorFrame(sentenceOf(error)))
  }

  async function greet(): Promise<void> {
    send({ type: 'connected' })
    try {
      tellNotApplied(await deps.loadAgent())
    } catch (error) {
      fail(error)
    }
    if (joined !== null) follow(joined.sessionId, joined.seq)
  }

  function tellNotApplied(agent: AgentDefinition): void {
    const config = deps.config()
    if (toldOf === config) return
    toldOf = config
    const { notApplied } = config.settle(agent)
    if (Object.keys(notApplied).length > 0) send({ type: 'info', data: inWords(notApplied) })
  }

  function follow(sessionId: SessionId, mutedUntil: number): void {
    const messages = createSdkMessages({ isPartial: deps.config().isPartial })
    const session: Followed = {
      ...{ sessionId, messages, mutedUntil, asks: new Map() },
      ...{ held: null, waiting: 0, isUnwanted: false },
    }
    followed = session
    const sink: EventSink = {
      take: (events) => {
        let hasRoom = true
        for (const event of events) for (const frame of framesOf(session, event)) hasRoom = send(frame)
        return hasRoom
      },
      room: socket.room,
    }
    sessions.feed({ sessionId, after: 0, signal: socket.signal }, sink).catch((error: unknown) => {
      fail(error)
      socket.close(1011, 'the session cannot be followed')
    })
  }

  function framesOf(session: Followed, event: StreamedEvent): readonly FrameOut[] {
    const told = session.messages.of(event).map((data): FrameOut => ({ type: 'sdk_message', data }))
    if (!isDurable(event)) return told
    const ask = askFrame(event, session.asks)
    const stop = noteStatus(session, event)
    if (event.type === 'TurnStarted' && session.isUnwanted) void interrupt(session)
    if (event.seq > session.mutedUntil) return [...told, ...(ask === null ? [] : [ask]), ...stop]
    if (event.seq < session.mutedUntil) return []
    // Here the past ends: what a client needs to go on from it.
    const init = session.messages.join().map((data): FrameOut => ({ type: 'sdk_message', data }))
    return [...init, ...[...session.asks.values()].filter((open) => open !== null)]
  }

  async function interrupt(session: Followed): Promise<void> {
    // Until it is known what runs: a turn that begins in between is stopped when its beginning is told.
    session.isUnwanted = true
    try {
      const isStopped = await stop(session.sessionId)
      if (!isStopped && (await sessions.messages(session.sessionId)).length > 0) return
      if (!isStopped) await stop(session.sessionId)
      session.isUnwanted = false
    } catch (error) {
      session.isUnwanted = false
      fail(error)
    }
  }

  /** False: nothing runs. The original says nothing then, and neither do we. */
  async function stop(sessionId: SessionId): Promise<boolean> {
    try {
      await sessions.interrupt(sessionId, by)
      return true
    } catch (error) {
      if (isQuarterdeckError(error, 'session.not-running')) return false
      // It is being stopped already.
      if (isQuarterdeckError(error, 'session.busy')) return true
      throw error
    }
  }

  async function say(data: Extract<FrameIn, { type: 'user_message' }>['data']): Promise<void> {
    const message = messageOf(data)
    if (followed !== null) {
      const { sessionId, waiting, held } = followed
      if (waiting >= maxWaiting) throw new QuarterdeckError('request.invalid', `${waiting} messages wait already`)
      await sessions.send(sessionId, message, by)
      if (held !== null) send(waits(held))
      return
    }
    const agent = await deps.loadAgent()
    tellNotApplied(agent)
    const { content, images } = message
    const { wish } = deps.config().settle(agent)
    const { sessionId } = await sessions.create({ agent: agent.name, message: content, images, ...wish }, by)
    follow(sessionId, 0)
  }

  async function act(frame: FrameIn): Promise<void> {
    // Stopping is never too much.
    if (frame.type !== 'interrupt') deps.countChange(principal)
    switch (frame.type) {
      case 'user_message':
        return say(frame.data)
      case 'interrupt':
        return followed === null ? undefined : interrupt(followed)
      case 'approval_response': {
        const { approvalId, ...decision } = frame.data
        requireAsked(followed, approvalId)
        requireDecider(principal)
        await sessions.decide(approvalId, decision, by)
        return
      }
      case 'question_response': {
        const { questionId, ...answer } = frame.data
        requireAsked(followed, questionId)
        requireDecider(principal)
        await sessions.answer(questionId, answer, by)
      }
    }
  }

  async function take(frame: Frame): Promise<void> {
    try {
      const read = readFrame(frame)
      if (read !== null) await act(read)
    } catch (error) {
      fail(error)
    }
  }

  return { greet, take }
}

/** What becomes of the session outside of its turns, where no result tells of it. */
function noteStatus(session: Followed, event: StreamedEvent): readonly FrameOut[] {
  switch (event.type) {
    case 'UserMessageQueued':
    case 'UserMessageReturned':
      session.waiting += 1
      return []
    case 'UserMessageDelivered':
    case 'UserMessageCancelled':
      session.waiting = Math.max(0, session.waiting - 1)
      return []
    case 'AgentSessionStatusChanged': {
      const { to, reason } = event.data
      const stands = to === 'stopped_budget' || to === 'paused' || to === 'context_exhausted'
      session.held = stands ? (reason ?? to) : null
      // A message that waits gets no result: its turn is not begun.
      return stands && session.waiting > 0 ? [waits(reason ?? to)] : []
    }
    default:
      return []
  }
}

const waits = (why: string): FrameOut => errorFrame(`the message waits: the session stands still (${why})`)

function requireAsked(followed: Followed | null, id: string): void {
  if (followed?.asks.has(id) === true) return
  throw new QuarterdeckError('request.invalid', `nothing with the id ${JSON.stringify(id)} was asked here`)
}

function requireDecider({ scope }: Principal): void {
  if (mayDo(scope, 'decide')) return
  throw new QuarterdeckError('auth.forbidden', `a key with the scope "${scope}" may not decide here`)
}

const inWords = (notApplied: NotApplied): string =>
  `not applied: ${Object.entries(notApplied)
    .map(([field, why]) => `${field} (${why})`)
    .join('; ')}`.slice(0, 4000)

const isExpected = (error: unknown): boolean =>
  error instanceof ZodError || (isQuarterdeckError(error) && error.code !== 'internal')

/** In the words of the original where it has some. */
function sentenceOf(error: unknown): string {
  if (error instanceof ZodError) return `Invalid message format: ${issuesOf(error)}`
  return isQuarterdeckError(error) && error.code !== 'internal' ? error.message : 'Unknown error'
}

const maxIssues = 5

export const issuesOf = ({ issues }: ZodError): string =>
  issues
    .slice(0, maxIssues)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ')
