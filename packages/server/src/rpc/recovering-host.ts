// Whoever changes a session that a dead process left in the middle recovers it first. A server does so for all of them at
// its start; a command for those it is asked about, also by somebody who only looks: nobody else would.
import type { Engine } from '@quarterdeck/engine'
import { isBusyStatus, isQuarterdeckError, type Route, rpcMethods, SessionId } from '@quarterdeck/protocol'
import type { RpcHost } from './rpc-host.ts'

type Recovery = Pick<Engine, 'recover' | 'sessions'>

export function createRecoveringHost(host: RpcHost, { recover, sessions }: Recovery): RpcHost {
  /** What this process works on itself is left alone, and what another one works on can be read all the same. */
  async function beforeReading(sessionId: SessionId): Promise<void> {
    try {
      const { status } = (await sessions.snapshot(sessionId)).session
      if (isBusyStatus(status) || status === 'queued') await recover(sessionId)
    } catch (error) {
      // A session that is not there is refused by the route, in its own words.
      if (isQuarterdeckError(error, 'session.held-elsewhere') || isQuarterdeckError(error, 'session.not-found')) return
      throw error
    }
  }

  return {
    async call(method, params, signal) {
      const route: Route = rpcMethods[method]
      const { data: sessionId } = SessionId.safeParse(params.sessionId)
      if (route.method === 'get' && sessionId !== undefined) await beforeReading(sessionId)
      return host.call(method, params, signal)
    },
    async feed(from, sink) {
      await beforeReading(from.sessionId)
      await host.feed(from, sink)
    },
  }
}
