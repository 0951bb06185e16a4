// A budget is enforced with five parallel subagents, at catalog prices, through a real CLI.
import { isDeepStrictEqual } from 'node:util'
import { findModel, priceOf, type SessionEvent, type SessionId } from '@quarterdeck/protocol'
import { createSimulator, loadScenario, type Simulator } from '@quarterdeck/simulator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, serve } from '../support/server/serve.ts'
import { isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'
import { writeAgent } from '../support/server/write-agent.ts'

const limitUsd = 0.1

const agentFile = `name: team
model: { provider: anthropic, name: high }
instructions: { inline: You lead five workers. }
claude:
  permission_mode: acceptAll
  i_understand_this_is_unsafe: true
  bash: { enabled: true }
  subagents: { enabled: true, max_parallel: 5 }
  agents:
    worker: { description: Works., prompt: You work., tools: [Bash] }
limits: { max_turns: 30, max_budget_usd: ${limitUsd} }
`

const worker = (number: number): string =>
  `        - { name: Agent, input: { description: Part ${number}, prompt: Do part ${number}., subagent_type: worker, run_in_background: false } }`

/** Each worker makes eight requests of $0.012. Together they exceed the budget. */
const scenario = `
steps:
  - when: { turn: 1, subagent: false, calls: 0 }
    then:
      text: Five workers.
      usage: { input_tokens: 1000, output_tokens: 200 }
      tools:
${[1, 2, 3, 4, 5].map(worker).join('\n')}
  - when: { subagent: true, calls: 7 }
    then: { text: My part is done., usage: { input_tokens: 1500, output_tokens: 500 } }
    repeat: true
  - when: { subagent: true }
    then:
      delay_ms: 30
      usage: { input_tokens: 1500, output_tokens: 500 }
      tools: [{ name: Bash, input: { command: 'true' } }]
    repeat: true
  - when: {}
    then: { text: All done., usage: { input_tokens: 1200, output_tokens: 100 } }
    repeat: true
`

describe('a budget of $0.10 with five parallel subagents', () => {
  let upstream: Simulator
  let served: Served

  beforeAll(async () => {
    upstream = createSimulator({ mode: { script: loadScenario(scenario, 'money-budget') }, paceMs: 0 })
    const { url } = await upstream.listen()
    const agents = await writeAgent(agentFile)
    served = await serve({ agents, env: { ANTHROPIC_API_KEY: 'made-up-provider-key', ANTHROPIC_BASE_URL: url } })
  })
  afterAll(async () => {
    await served?.stop()
    await upstream?.close()
  })

  it('is overshot by at most one request; after a raise the session continues, and the ledger matches what was served', async () => {
    const { sessionId } = await served.client.createSession({ agent: 'team', message: 'Do all five parts.' })
    await watchUntil(served, sessionId, isStatus('stopped_budget', 'idle', 'failed'))
    const { session } = await served.client.getSession(sessionId)
    expect(session).toMatchObject({ status: 'stopped_budget', limits: { maxBudgetUsd: limitUsd } })

    const log = await settledLog(served, sessionId, upstream)
    expect(log.filter(({ type }) => type === 'SubagentStarted').length).toBe(5)
    const costs = usages(log).map(({ data }) => data.costUsd ?? 0)
    const spent = costs.reduce((sum, cost) => sum + cost, 0)
    // The budget was used, and only the last request exceeded it.
    expect(spent).toBeGreaterThan(limitUsd * 0.5)
    expect(spent).toBeLessThan(limitUsd + Math.max(...costs))
    expect(spent - (costs.at(-1) ?? 0)).toBeLessThan(limitUsd)
    expect(log.filter(({ type }) => type === 'BudgetWarning').length).toBeLessThanOrEqual(1)
    expect(log.filter(({ type }) => type === 'AgentSessionBudgetExceeded')).toHaveLength(1)

    const inbox = await served.client.inbox()
    expect(inbox.items).toMatchObject([{ type: 'budget', sessionId, isOwnLimit: true }])

    await served.client.changeSession(sessionId, { limits: { maxBudgetUsd: 5 } })
    await watchUntil(served, sessionId, isStatus('idle', 'failed'))
    const after = await settledLog(served, sessionId, upstream)
    expect(after.map(({ type }) => type)).toContain('BudgetChanged')
    expect((await served.client.getSession(sessionId)).session).toMatchObject({
      status: 'idle',
      lastResult: 'All done.',
    })

    const { total } = await served.client.usage({ by: 'model', session: sessionId })
    const booked = usages(after)
    expect(total).toMatchObject({ requests: booked.length, hasUnpricedUsage: false })
    expect(total.costUsd).toBeCloseTo(priceOf(total.tokens, findModel('high')?.price ?? null) ?? 0, 9)
    expect(after.filter(({ type }) => type === 'CostDrifted')).toEqual([])
  })
})

const usages = (log: readonly SessionEvent[]) =>
  log.filter((event): event is Extract<SessionEvent, { type: 'UsageRecorded' }> => event.type === 'UsageRecorded')

/** Returns the log once it contains all served usage. The usage of interrupted requests comes last. */
async function settledLog(served: Served, sessionId: SessionId, upstream: Simulator): Promise<readonly SessionEvent[]> {
  let log: readonly SessionEvent[] = []
  const unlike = async () => {
    log = await wholeLog(served, sessionId)
    const booked = new Map(usages(log).map(({ data }) => [data.apiMessageId, data.tokens]))
    const reported = upstream.served().requests.filter(({ usage }) => usage !== null)
    const wrong = reported.filter(({ messageId, usage }) => {
      const tokens = booked.get(messageId ?? '')
      booked.delete(messageId ?? '')
      return !isDeepStrictEqual(tokens, {
        input: usage?.inputTokens,
        output: usage?.outputTokens,
        cacheRead: usage?.cacheReadInputTokens,
        cacheWrite: usage?.cacheCreationInputTokens,
      })
    })
    return { wrong, neverServed: [...booked.keys()] }
  }
  await expect.poll(unlike).toEqual({ wrong: [], neverServed: [] })
  return log
}
