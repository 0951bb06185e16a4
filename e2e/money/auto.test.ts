// Automatic selection through a real CLI: each turn requests the chosen model.

import { findModel, type SessionEvent, type SessionId } from '@quarterdeck/protocol'
import { createSimulator, loadScenario, type Simulator } from '@quarterdeck/simulator'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Served, serve } from '../support/server/serve.ts'
import { isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'
import { writeAgent } from '../support/server/write-agent.ts'

const high = findModel('high')?.id
const low = findModel('low')?.id

const agentFile = `name: chooser
model: { provider: anthropic, name: auto }
instructions: { inline: You answer. }
claude:
  permission_mode: acceptAll
  i_understand_this_is_unsafe: true
  agents:
    helper: { description: Helps., prompt: You help. }
limits: { max_turns: 10, max_budget_usd: 1 }
`

const scenario = `
steps:
  - when: { text: 'Plan', subagent: false }
    then:
      text: I ask a helper.
      tools: [{ name: Agent, input: { description: Help, prompt: Help me., subagent_type: helper, run_in_background: false } }]
  - when: {}
    then: { text: Answered. }
    repeat: true
`

let upstream: Simulator
let served: Served

beforeAll(async () => {
  upstream = createSimulator({ mode: { script: loadScenario(scenario, 'money-auto') }, paceMs: 0 })
  const { url } = await upstream.listen()
  const env = { ANTHROPIC_API_KEY: 'made-up-provider-key', ANTHROPIC_BASE_URL: url }
  served = await serve({ agents: await writeAgent(agentFile), env })
})
afterAll(async () => {
  await served?.stop()
  await upstream?.close()
})

it('requests low for a short question, high for work, low for subagents, and the model that a user set', async () => {
  const { sessionId } = await served.client.createSession({ agent: 'chooser', message: 'What is a lighthouse?' })
  await watchUntil(served, sessionId, isStatus('idle', 'failed'))
  expect(askedFor()).toEqual([low])
  await say(sessionId, 'Plan the move of the office with a helper.')
  expect(askedFor().slice(1)).toEqual([high, low, high])
  await served.client.changeSession(sessionId, { model: 'claude-opus-4-6' })
  await say(sessionId, 'And now?')
  expect(askedFor().slice(4)).toEqual(['claude-opus-4-6'])

  const log = await wholeLog(served, sessionId)
  const chosen = log.filter(
    (event): event is Extract<SessionEvent, { type: 'ModelChosen' }> => event.type === 'ModelChosen',
  )
  expect(chosen.map(({ data }) => [data.model, data.rule])).toEqual([
    [low, 'short-question'],
    [high, 'default'],
  ])
  expect(log.filter(({ type }) => type === 'CostDrifted')).toEqual([])
  const [automatic, ...others] = (await served.client.listModels()).models
  expect(automatic).toMatchObject({ id: 'auto', available: true })
  expect(others.length).toBeGreaterThan(3)
  const { rows, total } = await served.client.usage({ by: 'model', session: sessionId })
  expect(rows.map(({ model }) => model)).toEqual(['claude-haiku-4-5', 'claude-opus-4-6', high])
  expect(rows.find(({ model }) => model === low)?.savedUsd).toBeGreaterThan(0)
  expect(total.savedUsd).toBeCloseTo(
    rows.reduce((sum, row) => sum + row.savedUsd, 0),
    9,
  )
})

/** Without the test request that the CLI sends to a new model: one word, no tools. */
const askedFor = () =>
  upstream
    .served()
    .requests.filter(({ toolsOffered }) => toolsOffered.length > 0)
    .map(({ requestedModel }) => requestedModel)

async function say(sessionId: SessionId, content: string): Promise<void> {
  const { appliedSeq } = await served.client.sendMessage(sessionId, { content })
  await watchUntil(
    served,
    sessionId,
    (event) => 'seq' in event && event.seq > appliedSeq && isStatus('idle', 'failed')(event),
  )
}
