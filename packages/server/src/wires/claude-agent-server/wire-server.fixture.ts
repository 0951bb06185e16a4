import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionId } from '@quarterdeck/protocol'
import { type RunningServer, type ServerOptions, startServer } from '../../app/start-server.ts'

const agentFile = `name: hello
model: { provider: simulator, name: high }
instructions: { inline: Be brief. }
claude: { permission_mode: manual, bash: { enabled: true }, file_system: { read: true } }
approvals: { allow: [Read] }
`

/** A server with a compatibility listener of this wire. */
export async function startWireServer(runtime: ServerOptions['runtime']): Promise<RunningServer> {
  await writeFile(join(runtime.cwd, 'agents', 'hello', 'agent.yaml'), agentFile)
  return startServer({
    host: '127.0.0.1',
    port: 0,
    runtime,
    compatListeners: [{ wire: 'claude-agent-server', port: 0 }],
    rateLimits: { requests: { perSecond: 10_000, burst: 10_000 }, changes: { perSecond: 10_000, burst: 10_000 } },
  })
}

export const eventsOf = async ({ runtime }: RunningServer, sessionId: unknown) =>
  (await runtime.engine.sessions.readEvents(sessionId as SessionId, { limit: 1000 })).events
