// The protocol of claude-agent-server: a configuration over HTTP, the agent over a WebSocket.
import { isQuarterdeckError, problemOf, QuarterdeckError, SessionId } from '@quarterdeck/protocol'
import type { Context } from 'hono'
import { ZodError } from 'zod'
import { requirePermission } from '../../auth/require-permission.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { parseBoundedJson, readBody } from '../../http/read-body.ts'
import { sendText } from '../../http/send-text.ts'
import { refuseWhileDraining } from '../../middleware/refuse-while-draining.ts'
import { mountSocket, type SocketCall } from '../../transports/mount-socket.ts'
import { agentFor, type MountWire, type WireDeps } from '../wire.ts'
import { type ClientConfig, readClientConfig } from './client-config.ts'
import { createClientConfigStore } from './client-config-store.ts'
import { issuesOf } from './error-sentence.ts'
import { serveConnection } from './serve-connection.ts'

/** One image of the largest size, and text. */
const maxFrameBytes = 8 * 1024 * 1024

export const mountClaudeAgentServerWire: MountWire = (app, deps) => {
  const base = deps.agent === null ? '/compat/claude-agent-server' : ''
  const configs = createClientConfigStore()

  app.post(`${base}/config`, async (c) => {
    requirePermission(c, { permission: 'work' })
    try {
      const config = readClientConfig(parseConfig(await readBody(c)))
      const agent = deps.agent === null ? null : await deps.agents.load(deps.agent)
      configs.put(c.get('principal'), config)
      const { notApplied } = config.settle(agent)
      const extra = Object.keys(notApplied).length === 0 ? {} : { notApplied }
      return reply(c, 200, { success: true, config: config.shown, ...extra })
    } catch (error) {
      return refusal(c, error)
    }
  })

  app.get(`${base}/config`, (c) => {
    requirePermission(c, { permission: 'read' })
    return reply(c, 200, { config: configs.get(c.get('principal')).shown })
  })

  mountSocket(
    app,
    {
      path: `${base}/ws`,
      permission: 'work',
      maxFrameBytes,
      async open(call) {
        const { name, joined } = await sessionFor(deps, call)
        const { principal } = call
        return (socket) =>
          serveConnection(socket, {
            principal,
            joined,
            sessions: deps.sessionsOf(principal),
            countChange: deps.openMeter(principal),
            logger: deps.logger,
            refuseNewWork: () => refuseWhileDraining(deps.isDraining),
            loadAgent: () => deps.agents.load(name),
            config: (): ClientConfig => configs.get(principal),
          })
      },
    },
    deps,
  )
}

/** The agent of a new session, or the named session and its agent. */
async function sessionFor(deps: WireDeps, { principal, query }: SocketCall) {
  const { sessionId: named, agent } = query
  if (named === undefined) {
    refuseWhileDraining(deps.isDraining)
    return { name: await agentFor(deps, agent), joined: null }
  }
  const sessionId = SessionId.safeParse(named)
  const missing = () => new QuarterdeckError('session.not-found', `there is no session ${JSON.stringify(named)}`)
  if (!sessionId.success) throw missing()
  const { session } = await deps.sessionsOf(principal).getSession(sessionId.data)
  if (deps.agent !== null && session.agentName !== deps.agent) throw missing()
  return { name: session.agentName, joined: { sessionId: sessionId.data, seq: session.seq } }
}

function parseConfig(text: string): unknown {
  const parsed = parseBoundedJson(text)
  if (parsed.type === 'value') return parsed.value
  throw new QuarterdeckError(parsed.type === 'not-json' ? 'request.invalid-json' : 'request.invalid', parsed.why)
}

/** Errors in the form of the original: one sentence. Unexpected errors are handled as everywhere. */
function refusal(c: Context<AppEnv>, error: unknown): Response {
  if (isQuarterdeckError(error, 'request.invalid-json')) return reply(c, 400, { error: 'Invalid JSON' })
  if (error instanceof ZodError) return reply(c, 400, { error: issuesOf(error) })
  if (!isQuarterdeckError(error) || error.code === 'internal') throw error
  return reply(c, problemOf(error).status, { error: error.message })
}

const reply = (c: Context<AppEnv>, status: number, body: object): Response =>
  sendText(c, { status, type: 'application/json', body: JSON.stringify(body) })
