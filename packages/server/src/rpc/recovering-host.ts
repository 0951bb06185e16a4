// A server tells at its start what dead processes left of all sessions. A command only does so for those it works with:
// here, when the first call names one.
import type { Engine } from '@quarterdeck/engine'
import {
  Applied,
  isBusyStatus,
  isQuarterdeckError,
  type Route,
  type RpcMethod,
  rpcMethods,
  SessionId,
} from '@quarterdeck/protocol'
import type { RpcHost } from './rpc-host.ts'

type Recovery = Pick<Engine, 'recover' | 'sessions'>

export function createRecoveringHost(host: RpcHost, { recover, sessions }: Recovery): RpcHost {
  /** Of these this process has heard how they are: what is under way in them is its own work. */
  const known = new Set<SessionId>()
  const underWay = new Map<SessionId, Promise<void>>()

  async function settle(sessionId: SessionId): Promise<void> {
    const { status } = (await sessions.snapshot(sessionId)).session
    if (!isBusyStatus(status) && status !== 'queued') return
    await recover(sessionId)
    known.add(sessionId)
  }

  /** Two calls at once wait for the same. */
  function settleOnce(sessionId: SessionId): Promise<void> {
    const started = underWay.get(sessionId) ?? settle(sessionId).finally(() => underWay.delete(sessionId))
    underWay.set(sessionId, started)
    return started
  }

  async function beforeChange(sessionId: SessionId): Promise<void> {
    if (known.has(sessionId)) return
    await settleOnce(sessionId)
    known.add(sessionId)
  }

  /** What another process works on can be read all the same. */
  async function beforeReading(sessionId: SessionId): Promise<void> {
    if (known.has(sessionId)) return
    await settleOnce(sessionId).catch((error: unknown) => {
      if (!isQuarterdeckError(error, 'session.held-elsewhere')) throw error
    })
  }

  /** `undefined` where the call names no session, or none there is: the route says so in its own words. */
  async function sessionOf(method: RpcMethod, params: Readonly<Record<string, unknown>>) {
    switch (method) {
      case 'session.approve': {
        const { approvals } = await sessions.approvals()
        return approvals.find(({ approvalId }) => approvalId === params.approvalId)?.sessionId
      }
      case 'session.answer': {
        const { questions } = await sessions.questions()
        return questions.find(({ questionId }) => questionId === params.questionId)?.sessionId
      }
      case 'session.toolResult':
        return sessionOfCall(params.callId)
      default:
        return SessionId.safeParse(params.sessionId).data
    }
  }

  async function sessionOfCall(callId: unknown): Promise<SessionId | undefined> {
    const waiting = (await sessions.list({ status: 'waiting_client', archived: 'all', limit: 200 })).sessions
    return waiting.find(({ clientCalls }) => clientCalls.some((call) => call.callId === callId))?.sessionId
  }

  return {
    async call(method, params, signal) {
      const route: Route = rpcMethods[method]
      const sessionId = await sessionOf(method, params)
      if (sessionId !== undefined) await (route.method === 'get' ? beforeReading(sessionId) : beforeChange(sessionId))
      const reply = await host.call(method, params, signal)
      if (method === 'session.start' || method === 'session.fork') known.add(Applied.parse(reply).sessionId)
      return reply
    },
    async feed(from, sink) {
      await beforeReading(from.sessionId)
      await host.feed(from, sink)
    },
  }
}
