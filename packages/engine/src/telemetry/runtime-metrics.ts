// Counts the events that the sessions of this process write.
import type { EventOfType, SessionEvent, SessionState } from '@quarterdeck/protocol'
import type { MetricOptions, MetricRegistry } from './metric-registry.ts'

const booked = ['agent', 'model', 'source']

const turnSeconds = [1, 2, 5, 10, 30, 60, 300, 1800]

export function createRuntimeMetrics(registry: MetricRegistry) {
  const count = (name: string, help: string, ...labels: readonly string[]) =>
    registry.counter(family(name, help, labels))
  const sessions = count('sessions_started_total', 'Sessions created.', 'agent')
  const turns = count('turns_total', 'Turns ended, by outcome.', 'agent', 'outcome')
  const durations = registry.histogram({
    ...family('turn_duration_seconds', 'Duration of turns, including time waiting for people.', ['agent']),
    buckets: turnSeconds,
  })
  const requests = count('model_requests_total', 'Model requests booked.', ...booked)
  const tokens = count('tokens_total', 'Tokens booked, by kind.', ...booked, 'kind')
  const cost = count(
    'cost_usd_total',
    'Dollars by the price table; those of source "simulator" are not real costs.',
    ...booked,
  )
  const retries = count('model_retries_total', 'Model requests retried.', 'agent')
  const calls = count('tool_calls_total', 'Tool calls ended, by outcome.', 'agent', 'outcome')
  const asked = count('approvals_requested_total', 'Approvals requested.', 'agent')
  const approvals = count('approvals_total', 'Approvals settled, by outcome.', 'agent', 'outcome')
  const crashes = count('process_crashes_total', 'Agent processes that ended unexpectedly.', 'agent')

  function book(state: SessionState, { model, tokens: used, costUsd }: EventOfType<'UsageRecorded'>['data']): void {
    const labels = [state.agentName, model, state.modelSource]
    requests.add(labels)
    tokens.add([...labels, 'input'], used.input)
    tokens.add([...labels, 'output'], used.output)
    tokens.add([...labels, 'cache_read'], used.cacheRead)
    tokens.add([...labels, 'cache_write'], used.cacheWrite)
    if (costUsd !== null) cost.add(labels, costUsd)
  }

  function observeOne(state: SessionState, event: SessionEvent): void {
    const agent = state.agentName
    switch (event.type) {
      case 'AgentSessionCreated':
        return sessions.add([agent])
      case 'TurnEnded':
        turns.add([agent, event.data.outcome])
        return durations.observe([agent], event.data.durationMs / 1000)
      case 'UsageRecorded':
        return book(state, event.data)
      case 'ModelRequestRetrying':
        return retries.add([agent])
      case 'ToolExecuted':
        return calls.add([agent, outcomeOf(event.data)])
      case 'ApprovalRequested':
        return asked.add([agent])
      case 'ApprovalDecided':
        return approvals.add([agent, event.data.decision])
      case 'ApprovalExpired':
        return approvals.add([agent, 'expired'])
      case 'BackendCrashed':
        return crashes.add([agent])
      default:
    }
  }

  return {
    /** Called with durable events. Never throws. */
    observe(state: SessionState, events: readonly SessionEvent[]) {
      for (const event of events) observeOne(state, event)
    },
  }
}

const family = (name: string, help: string, labels: readonly string[]): MetricOptions => ({
  name: `quarterdeck_${name}`,
  help,
  labels,
  audience: 'admin',
})

function outcomeOf({ isError, withoutResult }: EventOfType<'ToolExecuted'>['data']): string {
  if (withoutResult === true) return 'not_executed'
  return isError ? 'error' : 'ok'
}
