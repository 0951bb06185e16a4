// The part that all backends share: prepare once, open sessions, and close those that remain.
import type { AgentDefinition } from '@quarterdeck/protocol'
import type { AgentBackend, AgentSession, SessionOptions } from '../backend.ts'
import { createAgentSession } from './create-agent-session.ts'
import { invokeOnce } from './invoke-once.ts'
import type { TurnDriver } from './turn-driver.ts'

export interface SessionFactoryOptions<Prepared> {
  readonly agent: Pick<AgentDefinition, 'tools' | 'turnTimeoutMs'>
  /** Prepares what all sessions need. Called again only after a failure. */
  readonly prepare: () => Promise<Prepared>
  readonly openDriver: (session: SessionOptions, prepared: Prepared) => Promise<TurnDriver>
}

export type SessionFactory = Pick<AgentBackend, 'initialize' | 'invokeOnce' | 'createSession' | 'teardown'>

export function createSessionFactory<Prepared>(options: SessionFactoryOptions<Prepared>): SessionFactory {
  const { agent, openDriver } = options
  const sessions = new Set<AgentSession>()
  let ready: Promise<Prepared> | null = null

  function prepareOnce(): Promise<Prepared> {
    ready ??= options.prepare().catch((error: unknown) => {
      ready = null
      throw error
    })
    return ready
  }

  async function createSession(session: SessionOptions): Promise<AgentSession> {
    const driver = await openDriver(session, await prepareOnce())
    const opened = createAgentSession(driver, () => sessions.delete(opened), agent.tools)
    sessions.add(opened)
    return opened
  }

  return {
    async initialize() {
      await prepareOnce()
    },
    createSession,
    invokeOnce: (message, session, context) =>
      invokeOnce(createSession, session, { message, context, turnTimeoutMs: agent.turnTimeoutMs }),
    async teardown() {
      await Promise.all([...sessions].map((session) => session.close()))
    },
  }
}
