// Sessions whose turns spend money through the gateway.
import { draft, findModel, type SessionEvent, type SessionId } from '@quarterdeck/protocol'
import type { BackendEvent } from '../backends/backend.ts'
import { backendOf, completedTurn } from '../sessions/testing/backend-of-turn.fixture.ts'
import { ofType, type TestRuntime } from '../sessions/testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../sessions/testing/test-runtime.fixture.ts'
import type { EventStore } from '../store/ports/event-store.ts'

export const high = findModel('high')?.id ?? ''
export const low = findModel('low')?.id ?? ''
export const never = new AbortController().signal

export const failedTurn = (reason: string) =>
  draft('TurnEnded', {
    ...completedTurn.data,
    outcome: 'failed',
    result: { ...completedTurn.data.result, isError: true, errorReason: reason },
  })

interface Requesting {
  readonly requests: readonly { readonly model: string; readonly output: number }[]
  /** Between a refusal and the end of its turn. */
  readonly onRefused?: ((sessionId: SessionId) => Promise<unknown>) | undefined
}

/** An agent whose turns make these requests through the gateway in order, and stop when one is refused. */
function requesting(harness: () => TestRuntime, { requests, onRefused }: Requesting) {
  let made = 0
  return backendOf(async function* (): AsyncGenerator<BackendEvent> {
    const { coordinator, sessions } = harness()
    const [session] = (await sessions.listSessions({})).sessions
    if (session === undefined) throw new Error('no session')
    const { sessionId } = session
    for (const { model, output } of requests) {
      made += 1
      const name = { sessionId, requestId: `req_${made}` }
      const estimates = { inputTokens: 1000, cachedInputTokens: 0, maxOutputTokens: 32_000 }
      const verdict = await coordinator.gatewayDecisions.authorize({ ...name, model, ...estimates }, never)
      if (verdict.type === 'refuse') {
        await onRefused?.(sessionId)
        return yield failedTurn(verdict.message)
      }
      const tokens = { input: 1000, output, cacheRead: 0, cacheWrite: 0 }
      await coordinator.gatewayDecisions.settle({
        ...name,
        apiMessageId: `msg_${made}`,
        requestedModel: model,
        servedModel: model,
        tokens,
      })
    }
    yield completedTurn
  })
}

interface HarnessOptions extends Pick<Requesting, 'onRefused'> {
  readonly maxBudgetUsd?: number
  readonly store?: EventStore
}

export async function openHarness(
  requests: Requesting['requests'],
  { maxBudgetUsd = 5, store, onRefused }: HarnessOptions = {},
) {
  const made: { harness?: TestRuntime } = {}
  const currentHarness = () => {
    if (made.harness === undefined) throw new Error('the runtime is not open yet')
    return made.harness
  }
  made.harness = await openTestRuntime({
    backend: requesting(currentHarness, { requests, onRefused }),
    agent: { limits: { maxTurns: 50, maxDurationMs: 3_600_000, maxBudgetUsd } },
    ...(store === undefined ? {} : { store }),
  })
  return made.harness
}

export async function start(harness: TestRuntime, message = 'Fix the build') {
  const { sessionId } = await harness.sessions.createSession({ agent: 'tester', message }, 'ana')
  return sessionId
}

/** $0.033. */
export const costly = { model: high, output: 2000 }

export const outcomesOf = (log: readonly SessionEvent[]) => ofType(log, 'TurnEnded').map(({ data }) => data.outcome)
