// The provider's rate limit, scaled down here and at full size in the soak. The simulator enforces it, the gateway
// respects it, and clients see who waits.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rateTiers } from '@quarterdeck/model'
import type { Queue } from '@quarterdeck/protocol'
import { createSimulator, loadScenario, type Simulator } from '@quarterdeck/simulator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reportFacts, scale } from '../support/server/scale.ts'
import { newFolder, type Served, serve } from '../support/server/serve.ts'
import { isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'
import { writeAgent } from '../support/server/write-agent.ts'

const sessions = 7
// So few that the second request of a session waits for the first, however slowly the sessions start.
const few = { requests: 1, inputTokens: 60_000, outputTokens: 2000, windowMs: 2000 }
const rate = scale(few, rateTiers[1])
/** In the soak, together more than one minute of tier 1 allows. */
const callsEach = scale(1, 9)

const agentFile = `name: talker
model: { provider: anthropic, name: high }
instructions: { inline: You talk. }
claude:
  permission_mode: acceptAll
  i_understand_this_is_unsafe: true
  bash: { enabled: true }
limits: { max_turns: 20, max_budget_usd: 1 }
`

const call = `then: { text: I look., tools: [{ name: Bash, input: { command: 'true' } }] }, repeat: true`
const scenario = `
steps:
${Array.from({ length: callsEach }, (_, calls) => `  - { when: { calls: ${calls} }, ${call} }`).join('\n')}
  - { when: {}, then: { text: Done. }, repeat: true }
`

const scaledDown = `
gateway:
  rate:
    requests: ${few.requests}
    input_tokens: ${few.inputTokens}
    output_tokens: ${few.outputTokens}
    window: ${few.windowMs / 1000}s
`
const config = scale(scaledDown, 'rate_limit_tier: 1\n')

describe('seven sessions at a rate for fewer', () => {
  let upstream: Simulator
  let served: Served

  beforeAll(async () => {
    upstream = createSimulator({ mode: { script: loadScenario(scenario, 'money-rates') }, paceMs: 0, rate })
    const { url } = await upstream.listen()
    const home = await newFolder('home')
    await mkdir(join(home, '.quarterdeck'))
    await writeFile(join(home, '.quarterdeck', 'config.yaml'), config)
    const env = { HOME: home, ANTHROPIC_API_KEY: 'made-up-provider-key', ANTHROPIC_BASE_URL: url }
    served = await serve({ agents: await writeAgent(agentFile), env })
  })
  afterAll(async () => {
    await served?.stop()
    await upstream?.close()
  })

  it('all finish, no refusal of the provider reaches a CLI, and the queue shows who waits', {
    timeout: scale(300_000, 3_600_000),
  }, async () => {
    const created = await Promise.all(
      Array.from({ length: sessions }, () => served.client.createSession({ agent: 'talker', message: 'Look.' })),
    )
    const seen: Queue['waiting'][number][] = []
    let isOver = false
    const looking = (async () => {
      while (!isOver) {
        seen.push(
          ...(await served.client.queue()).waiting.filter(({ queuePosition }) => queuePosition.reason === 'rate'),
        )
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    })()
    try {
      await Promise.all(created.map(({ sessionId }) => watchUntil(served, sessionId, isStatus('idle', 'failed'))))
    } finally {
      isOver = true
      await looking
    }
    for (const { sessionId } of created) {
      expect((await served.client.getSession(sessionId)).session).toMatchObject({ status: 'idle', lastResult: 'Done.' })
      const retries = (await wholeLog(served, sessionId)).filter(({ type }) => type === 'ModelRequestRetrying')
      expect(retries).toEqual([])
    }
    const statuses = upstream.served().requests.map(({ status }) => status)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    expect(statuses.length).toBeGreaterThanOrEqual((callsEach + 1) * sessions)
    const waited = new Set(seen.map(({ sessionId }) => sessionId))
    expect(waited.size).toBeGreaterThan(1)
    for (const { queuePosition, agentName } of seen) {
      expect(agentName).toBe('talker')
      expect(queuePosition.position).toBeGreaterThanOrEqual(1)
      expect(queuePosition.position).toBeLessThanOrEqual(queuePosition.waiting)
    }
    expect((await served.client.queue()).waiting).toEqual([])
    await reportFacts("sessions at a provider's rate", { sessions, requests: statuses.length, waited: waited.size })
  })
})
