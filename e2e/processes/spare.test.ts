// The second session of an agent uses a process that is already running.
import { afterEach, expect, it } from 'vitest'
import { serveConfigured } from '../support/server/configured-server.ts'
import { cliProcesses } from '../support/server/process-tree.ts'
import type { ServedProcess } from '../support/server/serve-process.ts'
import { isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'

const patience = { timeout: 60_000, interval: 250 }
const running: ServedProcess[] = []
async function start(config: string) {
  const served = await serveConfigured(config, { hasSpares: true })
  running.push(served)
  return served
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.kill('SIGKILL')))
})

it('uses the spare process, asks its own users, and leaves another spare', async () => {
  const served = await start('processes: { max_resident: 4 }\n')
  expect(await cliProcesses(served.dataDir)).toEqual([])
  expect(await served.client.warmAgent('coder')).toEqual({ isReady: true })
  const [spare] = await cliProcesses(served.dataDir)
  expect(spare).toBeDefined()
  const { sessionId } = await served.client.createSession({ agent: 'coder', message: 'Find and fix the failing test.' })
  await watchUntil(served, sessionId, isStatus('waiting_approval'))
  expect(await cliProcesses(served.dataDir)).toContain(spare)
  const log = await wholeLog(served, sessionId)
  expect(log.find(({ type }) => type === 'AgentSessionStarted')?.data).toMatchObject({ sessionId })
  expect((await served.client.listApprovals()).approvals.map((one) => one.sessionId)).toEqual([sessionId])
  await expect.poll(async () => (await served.client.queue()).processes.spare, patience).toBe(1)
})

it('ends with the server even if no session used it', async () => {
  const killed = await start('processes: { max_resident: 4 }\n')
  await killed.client.warmAgent('hello')
  expect(await cliProcesses(killed.dataDir)).toHaveLength(1)
  await killed.kill('SIGKILL')
  await expect.poll(() => cliProcesses(killed.dataDir), patience).toEqual([])
  const drained = await start('processes: { max_resident: 4 }\n')
  await drained.client.warmAgent('hello')
  await drained.kill('SIGTERM')
  expect(await cliProcesses(drained.dataDir)).toEqual([])
})
