// One client of the chat socket, from `connected` until it disconnects.
import type { SessionService } from '@quarterdeck/engine'
import { assertNever, type Principal, QuarterdeckError, type SessionState } from '@quarterdeck/protocol'
import { refuseWhileDraining } from '../../middleware/refuse-while-draining.ts'
import type { Socket } from '../../transports/socket.ts'
import type { WireDeps } from '../wire.ts'
import { chooseModel } from './chat-models.ts'
import { type ChatSession, createChatSession, describe } from './chat-session.ts'
import { type ClientFrame, readClientFrame } from './client-frame.ts'
import type { EmptySessions } from './empty-sessions.ts'
import { isStopped } from './event-chunks.ts'
import { chunk, reasonOf, resetText, switchedText } from './stream-chunk.ts'

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
  const onFailure = (error: unknown) => deps.logger.error({ path: '/ws/chat', error }, 'a chat connection failed')
  const models = () => deps.models({ agent, sessions })
  const chatSession = createChatSession({ socket, sessions, principal, agent, models, empty, onFailure })
  const sendError = (words: string, error: unknown): boolean => {
    if (!(error instanceof QuarterdeckError)) onFailure(error)
    return chatSession.send(chunk('error', `${words}: ${reasonOf(error)}`))
  }
  try {
    if (await greeted()) await answerFrames()
  } finally {
    chatSession.end()
  }

  async function greeted(): Promise<boolean> {
    try {
      if (call.joins !== null) await chatSession.join(call.joins)
      else {
        await empty.sweep(principal, sessions)
        await chatSession.start()
      }
      return true
    } catch (error) {
      sendError('Error', error)
      return false
    }
  }

  async function answerFrames(): Promise<void> {
    const act = actor({ call, deps, chatSession })
    for await (const frame of socket.frames()) {
      const asked = readClientFrame(frame)
      const hasCapacity = await act(asked).catch((error: unknown) => sendError(frameKinds[asked.type].failed, error))
      // A client that does not read answers is not read either.
      if (!hasCapacity) await socket.drained()
    }
  }
}

/** The session service checks permissions. */
interface FrameKind {
  /** The start of an error message. */
  readonly failed: string
  readonly isNewWork?: true
}

const frameKinds: Readonly<Record<ClientFrame['type'], FrameKind>> = {
  message: { failed: 'Error processing message', isNewWork: true },
  reset: { failed: 'Failed to reset session', isNewWork: true },
  model_change: { failed: 'Failed to switch model', isNewWork: true },
  interrupt: { failed: 'Error' },
  approval: { failed: 'Error' },
  answer: { failed: 'Error' },
  refused: { failed: 'Error' },
}

interface Acting {
  readonly call: ChatCall
  readonly deps: WireDeps
  readonly chatSession: ChatSession
}

/** Executes a frame and reports whether the client still accepts output. */
function actor({ call, deps, chatSession }: Acting): (frame: ClientFrame) => Promise<boolean> {
  const { principal, sessions, agent } = call
  const by = principal.name
  const count = deps.openMeter(principal)

  function admit({ type }: ClientFrame): void {
    // First, and for invalid frames too: every frame is answered.
    count()
    if (frameKinds[type].isNewWork) refuseWhileDraining(deps.isDraining)
  }

  return async (frame) => {
    admit(frame)
    switch (frame.type) {
      case 'refused':
        return chatSession.send(chunk('error', frame.words))
      case 'message':
        return sendMessage(frame.content)
      case 'reset':
        return chatSession.send(chunk('reset_complete', resetText, describe(await chatSession.restart())))
      case 'model_change': {
        const restarted = await chatSession.restart(await chooseModel(deps, { agent, sessions }, frame.model))
        return chatSession.send(chunk('model_changed', switchedText(restarted.label), describe(restarted)))
      }
      case 'interrupt':
        await sessions.interrupt(chatSession.sessionId(), by)
        return true
      case 'approval':
        await sessions.decideApproval(frame.id, frame.body, by)
        return true
      case 'answer':
        await sessions.answerQuestion(frame.id, frame.body, by)
        return true
      default:
        return assertNever(frame)
    }
  }

  async function sendMessage(content: string): Promise<boolean> {
    const sessionId = chatSession.sessionId()
    const { messageId } = await sessions.sendMessage(sessionId, { content }, by)
    const { session } = await sessions.getSession(sessionId)
    const isStuck = isStopped(session.status) && session.queued.some((waiting) => waiting.messageId === messageId)
    if (!isStuck) return true
    const why = session.statusReason ?? `the session is ${session.status}`
    const error = `Error processing message: ${why}; the message waits until the session continues`
    return chatSession.send(chunk('error', error))
  }
}
