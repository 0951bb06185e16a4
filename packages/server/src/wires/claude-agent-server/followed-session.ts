// A session that one connection follows: maps its events to frames and tracks its state.
import type { EventSink, SessionService } from '@quarterdeck/engine'
import {
  isDurable,
  QuarterdeckError,
  type SessionEvent,
  type SessionId,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import type { Socket } from '../../transports/socket.ts'
import { type Asks, askFrame } from './ask-frame.ts'
import { type ClientMessage, errorFrame, type FrameOut } from './frames.ts'
import { createSessionInterrupt, standsStill } from './interrupt-session.ts'
import type { SdkMessage } from './sdk-message.ts'
import { createSdkMessages } from './sdk-messages.ts'

export interface FollowDeps {
  readonly sessions: SessionService
  readonly by: string
  readonly socket: Pick<Socket, 'drained' | 'signal' | 'close'>
  readonly send: (frame: FrameOut) => boolean
  readonly fail: (error: unknown) => void
}

export interface FollowedSessionOptions {
  readonly sessionId: SessionId
  /** Events up to this one happened before the connection. */
  readonly mutedUntil: number
  readonly isPartial: boolean
}

export type FollowedSession = ReturnType<typeof followSession>

/** Limit of queued messages; more are refused. */
const maxWaiting = 100

export function followSession({ sessionId, mutedUntil, isPartial }: FollowedSessionOptions, deps: FollowDeps) {
  const { sessions, by, socket, send, fail } = deps
  const messages = createSdkMessages({ isPartial })
  const asks: Asks = new Map()
  const standing: Standing = { waiting: new Set(), pausedFor: null }
  const interrupts = createSessionInterrupt({ sessions, sessionId, by, fail })

  function framesOf(event: StreamedEvent): readonly FrameOut[] {
    const sdkFrameList = sdkFrames(messages.of(event))
    if (!isDurable(event)) return sdkFrameList
    const ask = askFrame(event, asks)
    const waits = waitingFrames(standing, event)
    interrupts.note(event)
    if (event.seq > mutedUntil) return [...sdkFrameList, ...(ask === null ? [] : [ask]), ...waits]
    if (event.seq < mutedUntil) return []
    // The last event before the connection: sends the init message and the open asks.
    return [...sdkFrames(messages.join()), ...[...asks.values()].filter((open) => open !== null)]
  }

  const sink: EventSink = {
    take: (events) => {
      let hasCapacity = true
      for (const event of events) for (const frame of framesOf(event)) hasCapacity = send(frame)
      return hasCapacity
    },
    drained: socket.drained,
  }
  sessions.feed({ sessionId, after: 0, signal: socket.signal }, sink).catch((error: unknown) => {
    fail(error)
    socket.close(1011, 'the session cannot be followed')
  })

  return {
    interrupt: interrupts.interrupt,
    async sendMessage(message: ClientMessage) {
      const { size } = standing.waiting
      if (size >= maxWaiting) throw new QuarterdeckError('request.invalid', `${size} messages are already queued`)
      await sessions.sendMessage(sessionId, message, by)
    },
    /** Whether this approval or question was sent on this connection. */
    wasAsked: (id: string): boolean => asks.has(id),
  }
}

const sdkFrames = (messages: readonly SdkMessage[]): readonly FrameOut[] =>
  messages.map((data) => ({ type: 'sdk_message', data }))

interface Standing {
  readonly waiting: Set<string>
  /** Why it is paused, if it is. */
  pausedFor: string | null
}

/** A message that waits in a paused session starts no turn and gets no result: this reports it. */
function waitingFrames(standing: Standing, event: SessionEvent): readonly FrameOut[] {
  const { waiting } = standing
  switch (event.type) {
    case 'UserMessageQueued':
      if (event.data.origin === 'engine') return []
      waiting.add(event.data.messageId)
      // A session without budget tries again with each message; a paused one does not.
      return standing.pausedFor === null ? [] : [waits(standing.pausedFor)]
    case 'UserMessageReturned':
      waiting.add(event.data.messageId)
      return []
    case 'UserMessageDelivered':
    case 'UserMessageCancelled':
      waiting.delete(event.data.messageId)
      return []
    case 'AgentSessionStatusChanged': {
      const { to, reason } = event.data
      standing.pausedFor = to === 'paused' ? (reason ?? to) : null
      return standsStill(to) && waiting.size > 0 ? [waits(reason ?? to)] : []
    }
    default:
      return []
  }
}

const waits = (why: string): FrameOut => errorFrame(`the message is queued: the session is paused (${why})`)
