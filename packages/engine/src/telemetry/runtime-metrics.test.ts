import { expect, it } from 'vitest'
import type { Script } from '../backends/scripted/script.ts'
import { createMetricRegistry } from './metric-registry.ts'
import { createRuntimeMetrics } from './runtime-metrics.ts'
import { openTracedEngine } from './traced-engine.fixture.ts'

it('counts sessions, turns, tokens and dollars', async () => {
  const registry = createMetricRegistry()
  const script: Script = [
    [
      { type: 'usage', input: 10, output: 5 },
      { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'no', isError: true },
    ],
    [{ type: 'fail', reason: 'the provider failed' }],
  ]
  const engine = await openTracedEngine({ script, onWritten: createRuntimeMetrics(registry).observe })
  const { sessionId } = await engine.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  await engine.allowAll(sessionId)
  await engine.sessions.sendMessage(sessionId, { content: 'again' }, 'ana')
  await engine.until(sessionId, 'failed')
  const [usage] = (await engine.sessions.readEvents(sessionId, { limit: 1000 })).events.filter(
    ({ type }) => type === 'UsageRecorded',
  )
  const costUsd = usage?.type === 'UsageRecorded' ? usage.data.costUsd : null
  const lines = (await registry.text('admin')).split('\n')
  // Simulated dollars must not look like real ones.
  const model = 'model="claude-sonnet-4-5-20250929",source="simulator"'
  expect(costUsd).toBeGreaterThan(0)
  expect(lines).toEqual(
    expect.arrayContaining([
      'quarterdeck_sessions_started_total{agent="tester"} 1',
      'quarterdeck_turns_total{agent="tester",outcome="completed"} 1',
      'quarterdeck_turns_total{agent="tester",outcome="failed"} 1',
      'quarterdeck_turn_duration_seconds_count{agent="tester"} 2',
      `quarterdeck_model_requests_total{agent="tester",${model}} 1`,
      `quarterdeck_tokens_total{agent="tester",${model},kind="input"} 10`,
      `quarterdeck_tokens_total{agent="tester",${model},kind="output"} 5`,
      `quarterdeck_cost_usd_total{agent="tester",${model}} ${costUsd}`,
      'quarterdeck_tool_calls_total{agent="tester",outcome="error"} 1',
      'quarterdeck_approvals_requested_total{agent="tester"} 1',
      'quarterdeck_approvals_total{agent="tester",outcome="allow"} 1',
    ]),
  )
})
