// The machine's clock is set while agents work and wait. A preloaded file changes only the server's wall clock: timers
// continue, as they do when a real clock is set.
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type LoopbackProvider, startProvider } from '../support/network/loopback-provider.ts'
import { isSoak } from '../support/server/scale.ts'
import { newFolder } from '../support/server/serve.ts'
import { type ServedProcess, serveProcess } from '../support/server/serve-process.ts'
import { allowAll, isStatus, watchUntil } from '../support/server/watched-session.ts'
import { writeAgent } from '../support/server/write-agent.ts'
import { expectBooked, expectServerIntact, expectSessionIntact } from './invariants.ts'

const day = 86_400_000
const patience = { timeout: 170_000 }

const script = `steps:
  - when: { text: note }
    then: { text: I note it., tools: [{ name: Bash, input: { command: echo noted >> notes } }] }
  - when: { text: ask the client }
    then: { text: I ask., tools: [{ name: mcp__client__look_up, input: { what: weather } }] }
    repeat: true
  - { when: { tool_result: { name: Bash } }, then: { text: All of it is noted now., pace_ms: 500 }, repeat: true }
  - { when: {}, then: { text: Right away. }, repeat: true }
`

const agentFile = `name: noter
model: { provider: anthropic, name: high }
instructions: { inline: You note. }
claude: { permission_mode: manual, bash: { enabled: true }, working_directory: . }
workspace: { mode: copy }
approvals: { allow: [mcp__client__look_up] }
limits: { max_turns: 5, max_budget_usd: 1 }
`

let provider: LoopbackProvider
const running: ServedProcess[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.kill('SIGKILL')))
  await provider.close()
})

async function start() {
  provider = await startProvider({ script })
  const clockFile = join(await newFolder('clock'), 'shift')
  const preload = new URL('shifting-clock.mjs', import.meta.url).href
  const env = { ...provider.env, NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: clockFile }
  const served = await serveProcess({ agents: await writeAgent(agentFile), env })
  running.push(served)
  return {
    served,
    async setClock(shiftMs: number) {
      await writeFile(clockFile, String(shiftMs))
      process.kill(served.pid, 'SIGUSR2')
      await expect.poll(() => existsSync(clockFile), patience).toBe(false)
    },
  }
}

describe('a changed clock', () => {
  it.each([
    ['two days ahead', 2 * day],
    ['two days back', -2 * day],
  ])('%s while an approval waits and an answer streams: nothing expires and nothing is lost', async (_, shiftMs) => {
    const { served, setClock } = await start()
    const { sessionId } = await served.client.createSession({ agent: 'noter', message: 'Take a note.' })
    const seen = await watchUntil(served, sessionId, isStatus('waiting_approval'))
    await setClock(shiftMs)
    const allowing = allowAll(served, sessionId)
    await watchUntil(served, sessionId, (event) => event.type === 'AgentStreamToken')
    await setClock(0)
    await allowing
    const { appliedSeq } = await served.client.sendMessage(sessionId, { content: 'And now?' })
    await watchUntil(served, sessionId, (event) => 'seq' in event && event.seq > appliedSeq && isStatus('idle')(event))
    expect((await served.client.getSession(sessionId)).session.lastResult).toBe('Right away.')
    const log = await expectSessionIntact(served, sessionId, { seen, acknowledged: ['Take a note.', 'And now?'] })
    expect(log.some((event) => event.type === 'ApprovalExpired')).toBe(false)
    const decided = log.find((event) => event.type === 'ApprovalDecided')
    expect(Math.abs(Date.parse(decided?.at ?? '') - Date.now() - shiftMs)).toBeLessThan(day / 2)
    const outputs = log.filter((event) => event.type === 'ToolExecuted' && !event.data.isError)
    expect(outputs).toHaveLength(1)
    // Working time does not use the wall clock.
    const { durationMs } = (await served.client.getSession(sessionId)).session
    expect(durationMs).toBeGreaterThan(0)
    expect(durationMs).toBeLessThan(3_600_000)
    expectBooked(provider, [log])
    await expectServerIntact(served)
  })
})

describe('a client that never returns a result', () => {
  const client = {
    clientId: 'silent',
    tools: [
      {
        name: 'look_up',
        description: 'Looks something up.',
        inputSchema: { type: 'object', properties: { what: { type: 'string' } } },
      },
    ],
  }

  it('blocks nothing else: other sessions are answered, the turn can be stopped, and the next one runs', async () => {
    const { served } = await start()
    const { sessionId } = await served.client.createSession({ agent: 'noter', client })
    await served.client.sendMessage(sessionId, { content: 'Please ask the client.' })
    const seen = await watchUntil(served, sessionId, isStatus('waiting_client'))
    const other = await served.client.createSession({ agent: 'noter', message: 'And now?' })
    await watchUntil(served, other.sessionId, isStatus('idle'))
    await served.client.interrupt(sessionId)
    await watchUntil(served, sessionId, isStatus('interrupted'))
    await served.client.sendMessage(sessionId, { content: 'And now?' })
    await watchUntil(served, sessionId, isStatus('idle'))
    const log = await expectSessionIntact(served, sessionId, {
      seen,
      acknowledged: ['Please ask the client.', 'And now?'],
    })
    expectBooked(provider, [log, await expectSessionIntact(served, other.sessionId)])
    await expectServerIntact(served)
  })

  // The engine checks once a minute. Unit tests cover this without waiting.
  it.skipIf(!isSoak)('expires after a day: the agent gets an error, and its turn ends', async () => {
    const { served, setClock } = await start()
    const { sessionId } = await served.client.createSession({ agent: 'noter', client })
    await served.client.sendMessage(sessionId, { content: 'Please ask the client.' })
    const seen = await watchUntil(served, sessionId, isStatus('waiting_client'))
    await setClock(day + 60_000)
    const events = await watchUntil(served, sessionId, isStatus('idle', 'failed'))
    expect(events.filter((event) => event.type === 'ClientToolExpired')).toHaveLength(1)
    const log = await expectSessionIntact(served, sessionId, { seen, acknowledged: ['Please ask the client.'] })
    const executed = log.find((event) => event.type === 'ToolExecuted')
    expect(executed?.data).toMatchObject({ isError: true })
    expectBooked(provider, [log])
    await expectServerIntact(served)
  })
})
