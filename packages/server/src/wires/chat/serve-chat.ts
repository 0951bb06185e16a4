// One client of the chat socket, from `connected` until it goes.
import type { SessionService } from '@quarterdeck/engine'
import {
  assertNever,
  mayDo,
  type Permission,
  type Principal,
  QuarterdeckError,
  type SessionState,
} from '@quarterdeck/protocol'
import type { Socket } from '../../transports/socket.ts'
import type { WireDeps } from '../wire.ts'
import { chooseModel } from './chat-models.ts'
import { type ClientFrame, readClientFrame } from './client-frame.ts'
import { type Conversation, createConversation, describe } from './conversation.ts'
import type { EmptySessions } from './empty-sessions.ts'
import { isStopped } from './event-chunks.ts'
import { beforeRunningTurn } from './running-turn.ts'
import { chunk, greeting, reasonOf, resetWords } from './stream-chunk.ts'

export interface ChatCall {
  readonly principal: Principal
  readonly sessions: SessionService
  readonly agent: string
  /** The session to join; `null` starts one. */
  readonly joins: SessionState | null
  readonly empty: EmptySessions
}

export async function serveChat(socket: Socket, call: ChatCall, deps: WireDeps): Promise<void> {
  const { principal, sessions, agent, empty } = call
  const onFailure = (error: unknown) =>
    deps.logger.error({ path: '/ws/chat', error }, 'a chat connection met a failure')
  const models = () => deps.models({ agent, sessions })
  const conversation = createConversation({
    ...{ socket, sessions, principal, agent, models, onFailure },
    onLeft: (sessionId, seq) => empty.left(principal, sessionId, seq),
  })
  const onLeave = call.joins === null ? null : empty.joined(principal, call.joins.sessionId)
  try {
    await greet(conversation, call, models)
  } catch (error) {
    if (!(error instanceof QuarterdeckError)) onFailure(error)
    conversation.send(chunk('error', `Error: ${reasonOf(error)}`))
    return
  }
  const act = actor({ call, deps, conversation })
  for await (const frame of socket.frames()) {
    const asked = readClientFrame(frame)
    const hasRoom = await act(asked).catch((error: unknown) => {
      if (!(error instanceof QuarterdeckError)) onFailure(error)
      return conversation.send(chunk('error', `${failureWords[asked.type]}: ${reasonOf(error)}`))
    })
    // Whoever asks without taking the answers is not read any further.
    if (!hasRoom) await socket.room()
  }
  conversation.end()
  onLeave?.()
}

async function greet(conversation: Conversation, call: ChatCall, models: () => ReturnType<WireDeps['models']>) {
  const { principal, sessions, joins, empty } = call
  if (joins === null) {
    await empty.sweep(principal, sessions)
    conversation.send(chunk('connected', greeting, await conversation.start()))
    return
  }
  const after = await beforeRunningTurn(sessions, joins)
  conversation.send(chunk('connected', greeting, { ...describe(joins, await models()), joined: true }))
  await conversation.join(joins, after)
}

const failureWords: Readonly<Record<ClientFrame['type'], string>> = {
  message: 'Error processing message',
  reset: 'Failed to reset session',
  model_change: 'Failed to switch model',
  interrupt: 'Error',
  approval: 'Error',
  answer: 'Error',
  refused: 'Error',
}

const permissionFor = (type: ClientFrame['type']): Permission =>
  type === 'approval' || type === 'answer' ? 'decide' : type === 'refused' ? 'read' : 'work'

interface Acting {
  readonly call: ChatCall
  readonly deps: WireDeps
  readonly conversation: Conversation
}

/** Does what a frame asks for and tells whether the client still takes answers. */
function actor({ call, deps, conversation }: Acting): (frame: ClientFrame) => Promise<boolean> {
  const { principal, sessions, agent } = call
  const by = principal.name

  function admit({ type }: ClientFrame): void {
    if (type === 'refused') return
    const permission = permissionFor(type)
    if (!mayDo(principal.scope, permission)) {
      throw new QuarterdeckError(
        'auth.forbidden',
        `a key with the scope "${principal.scope}" may not ${permission} here`,
      )
    }
    deps.countChange(principal)
    if (deps.isDraining() && (type === 'message' || type === 'reset' || type === 'model_change')) {
      throw new QuarterdeckError('server.draining', 'the server is shutting down and takes no new work: try again soon')
    }
  }

  return async (frame) => {
    admit(frame)
    switch (frame.type) {
      case 'refused':
        return conversation.send(chunk('error', frame.words))
      case 'message':
        return sendMessage(frame.content)
      case 'reset':
        return conversation.send(chunk('reset_complete', resetWords, await conversation.restart()))
      case 'model_change': {
        const told = await conversation.restart(await chooseModel(deps, { agent, sessions }, frame.model))
        return conversation.send(chunk('model_changed', switchedWords(told), told))
      }
      case 'interrupt':
        await sessions.interrupt(conversation.sessionId(), by)
        return true
      case 'approval':
        await sessions.decide(frame.id, frame.body, by)
        return true
      case 'answer':
        await sessions.answer(frame.id, frame.body, by)
        return true
      default:
        return assertNever(frame)
    }
  }

  async function sendMessage(content: string): Promise<boolean> {
    const sessionId = conversation.sessionId()
    const { messageId } = await sessions.send(sessionId, { content }, by)
    const { session } = await sessions.snapshot(sessionId)
    const isStuck = isStopped(session.status) && session.queued.some((waiting) => waiting.messageId === messageId)
    if (!isStuck) return true
    const why = session.statusReason ?? `the session is ${session.status}`
    return conversation.send(chunk('error', `Error processing message: ${why}; it waits until the session goes on`))
  }
}

const switchedWords = ({ model }: Readonly<Record<string, unknown>>): string => {
  const shown = typeof model === 'object' && model !== null && 'model_display' in model ? model.model_display : ''
  return `Switched to ${shown}. Context has been reset.`
}
