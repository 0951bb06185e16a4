// Ctrl-C signals all foreground processes. Agent processes are in other groups, and the server ends them in order.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '@quarterdeck/client'
import { isDurable } from '@quarterdeck/protocol'
import { afterEach, expect, it } from 'vitest'
import { processesMentioning } from '../support/server/process-tree.ts'
import { checkout, newFolder } from '../support/server/serve.ts'
import { type ProcessOptions, type ServedProcess, serveProcess } from '../support/server/serve-process.ts'
import { isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'
import { writeAgent } from '../support/server/write-agent.ts'

const agentFile = `name: asker
model: { provider: anthropic, name: high }
instructions: { inline: You work with people. }
claude:
  permission_mode: manual
  bash: { enabled: true }
tools:
  - name: everything
    type: mcp
    description: A bit of everything.
    command: ${process.execPath}
    args: ['${checkout}/tools/node_modules/@modelcontextprotocol/server-everything/dist/index.js']
`

const running: ServedProcess[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.kill('SIGKILL')))
})

async function start(options: ProcessOptions): Promise<ServedProcess> {
  const served = await serveProcess({ ...options, args: ['--model-source', 'simulator'], leadsGroup: true })
  running.push(served)
  return served
}

const asks = [
  { message: 'run `echo one`', status: 'waiting_approval' },
  { message: 'ask me which colour: red, green or blue', status: 'waiting_user' },
] as const

async function waiting(served: ServedProcess) {
  const all = [...asks, ...asks].map(async ({ message, status }) => {
    const { sessionId } = await served.client.createSession({ agent: 'asker', message })
    await watchUntil(served, sessionId, isStatus(status))
    return { sessionId, status }
  })
  return Promise.all(all)
}

const statusesOf = (client: Client, sessions: Awaited<ReturnType<typeof waiting>>) =>
  Promise.all(sessions.map(async ({ sessionId }) => (await client.getSession(sessionId)).session.status))

it('Ctrl-C leaves open questions and approvals to the next server, and leaves no process', async () => {
  const agents = await writeAgent(agentFile)
  const first = await start({ agents })
  const sessions = await waiting(first)
  await first.interruptGroup()
  await expect.poll(() => processesMentioning(first.dataDir)).toEqual([])
  // The last output of a process may arrive after its exit.
  await expect.poll(first.output).toContain('stopped. Nothing is lost')
  expect(first.output()).not.toContain('fell')

  const second = await start({ agents, dataDir: first.dataDir })
  expect(await statusesOf(second.client, sessions)).toEqual(sessions.map(({ status }) => status))
  const [asked] = (await second.client.listQuestions()).questions
  const { sessionId, questionId } = asked ?? expect.fail('nothing is asked')
  const { seq } = (await second.client.getSession(sessionId)).session
  await second.client.answerQuestion(questionId, { answers: null })
  await watchUntil(second, sessionId, (event) => isDurable(event) && event.seq > seq && isStatus('idle')(event))
})

it('Ctrl-C on npm start counts once although npm forwards it, and a running turn keeps its time to end', async () => {
  const script = join(await newFolder('script'), 'scenario.yaml')
  await writeFile(script, 'steps: [{ then: { text: One two three four five six seven eight., pace_ms: 400 } }]')
  const args = ['--model-source', 'simulator', '--script', script]
  const first = await serveProcess({ args, isNpmStart: true, leadsGroup: true })
  running.push(first)
  const { sessionId } = await first.client.createSession({ agent: 'hello', message: 'Tell it slowly.' })
  await watchUntil(first, sessionId, (event) => event.type === 'AgentStreamToken')
  await first.interruptGroup()

  const second = await start({ dataDir: first.dataDir })
  const ends = (await wholeLog(second, sessionId)).filter((event) => event.type === 'TurnEnded')
  expect(ends).toMatchObject([{ data: { outcome: 'completed' } }])
})
