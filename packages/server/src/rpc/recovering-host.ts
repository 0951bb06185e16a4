// Recovers a session that a dead process left unfinished before it is used. A server does this for all sessions at its
// start; the sidecar does it for the sessions that are requested, even for reading.
import type { Engine } from '@quarterdeck/engine'
import { isQuarterdeckError, isUnfinishedStatus, type Operation, rpcMethods, SessionId } from '@quarterdeck/protocol'
import type { RpcHost } from './rpc-host.ts'

type Recovery = Pick<Engine, 'recover' | 'sessions'>

export function createRecoveringHost(host: RpcHost, { recover, sessions }: Recovery): RpcHost {
  /** Sessions of this process are skipped; sessions of another process can still be read. */
  async function beforeReading(sessionId: SessionId): Promise<void> {
    try {
      const { status } = (await sessions.getSession(sessionId)).session
      if (isUnfinishedStatus(status)) await recover(sessionId)
    } catch (error) {
      // The route refuses an unknown session with its own error.
      if (isQuarterdeckError(error, 'session.held-elsewhere') || isQuarterdeckError(error, 'session.not-found')) return
      throw error
    }
  }

  return {
    async call(method, params, signal) {
      const operation: Operation = rpcMethods[method]
      const { data: sessionId } = SessionId.safeParse(params.sessionId)
      if (operation.method === 'get' && sessionId !== undefined) await beforeReading(sessionId)
      return host.call(method, params, signal)
    },
    async feed(from, sink) {
      await beforeReading(from.sessionId)
      await host.feed(from, sink)
    },
  }
}
