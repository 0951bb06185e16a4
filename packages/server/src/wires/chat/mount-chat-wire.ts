// The wire of the NetBox assistant: a socket that streams chunks, and the list of models.
import { mayDo, QuarterdeckError, SessionId } from '@quarterdeck/protocol'
import type { Context } from 'hono'
import { requirePermission } from '../../auth/require-permission.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { refuseWhileDraining } from '../../middleware/refuse-while-draining.ts'
import { mountSocket, type SocketCall } from '../../transports/mount-socket.ts'
import { agentFor, type MountWire, type WireDeps } from '../wire.ts'
import { chatModel } from './chat-models.ts'
import { createEmptySessions } from './empty-sessions.ts'
import { type ChatCall, serveChat } from './serve-chat.ts'

export const mountChatWire: MountWire = (app, deps) => {
  const empty = createEmptySessions()
  mountSocket(
    app,
    {
      path: '/ws/chat',
      permission: 'read',
      async open(call) {
        const chat = { ...(await readInput(call, deps)), empty }
        return (socket) => serveChat(socket, chat, deps)
      },
    },
    deps,
  )
  const models = async (c: Context<AppEnv>) => {
    requirePermission(c, { permission: 'read' })
    return c.json(await listChatModels(c, deps))
  }
  app.get('/models', models)
  app.get('/api/models', models)
  // On the main port this address belongs to the server.
  if (deps.agent === null) return
  app.get('/health', (c) => c.json({ status: 'healthy', service: 'netbox-chatbox-api', version: deps.version }))
}

async function listChatModels(c: Context<AppEnv>, deps: WireDeps) {
  const named = deps.agent ?? c.req.query('agent')
  const agent = named === undefined ? undefined : await deps.agents.load(named)
  const models = await deps.models({ agent: agent?.name, sessions: deps.sessionsOf(c.get('principal')) })
  const maker = agent?.model.provider ?? 'anthropic'
  return models.map((model) => chatModel(model, maker === 'simulator' ? 'anthropic' : maker))
}

/** Throws errors that are answered over HTTP, before the connection is opened. */
async function readInput({ principal, query }: SocketCall, deps: WireDeps): Promise<Omit<ChatCall, 'empty'>> {
  const sessions = deps.sessionsOf(principal)
  if (query.sessionId !== undefined) {
    const joins = await findSession(sessions, query.sessionId)
    return { principal, sessions, agent: joins.agentName, joins }
  }
  if (!mayDo(principal.scope, 'work')) {
    throw new QuarterdeckError('auth.forbidden', `a key with the scope "${principal.scope}" may only join: ?sessionId=`)
  }
  refuseWhileDraining(deps.isDraining)
  const agent = await agentFor(deps, query.agent)
  await deps.agents.load(agent)
  return { principal, sessions, agent, joins: null }
}

async function findSession(sessions: ChatCall['sessions'], text: string) {
  const id = SessionId.safeParse(text)
  if (id.success) return (await sessions.getSession(id.data)).session
  // A malformed id gets the same response as an unknown one.
  throw new QuarterdeckError('session.not-found', `there is no session ${JSON.stringify(text.slice(0, 100))}`)
}
