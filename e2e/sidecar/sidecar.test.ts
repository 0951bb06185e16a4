// The sidecar as a host program uses it: a child process that works, is killed, and continues.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDurable, type SessionEvent } from '@quarterdeck/protocol'
import { afterEach, expect, it } from 'vitest'
import { processesMentioning } from '../support/server/process-tree.ts'
import { examples, newFolder } from '../support/server/serve.ts'
import { serveProcess } from '../support/server/serve-process.ts'
import { expectGapFree, isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'
import { type SidecarProcess, startSidecar, subscribe } from './sidecar-process.ts'

const running: SidecarProcess[] = []
async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<SidecarProcess> {
  const sidecar = await startSidecar(args, env)
  running.push(sidecar)
  await sidecar.ready()
  return sidecar
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((sidecar) => sidecar.kill('SIGKILL')))
})

const hello = join(examples, 'hello')
const simulated = (dataDir: string) => ['--data', dataDir, '--model-source', 'simulator']
const longStory = ['--script', fileURLToPath(new URL('../scenarios/long-story.yaml', import.meta.url))]
const durable = (sidecar: SidecarProcess): SessionEvent[] => sidecar.events().filter(isDurable)

it('is killed while text streams: the next one reports it after the cursor, continues, and leaves no process', async () => {
  const dataDir = join(await newFolder('data'), 'data')
  const first = await start([hello, ...simulated(dataDir), ...longStory])
  const { sessionId } = await first.call('session.start', { agent: 'hello', message: 'Tell me a story.' })
  await subscribe(first, sessionId)
  await first.saw(({ type }) => type === 'AgentStreamToken')
  await first.kill('SIGKILL')
  await expect.poll(() => processesMentioning(dataDir)).toEqual([])
  const before = durable(first)

  const second = await start([hello, ...simulated(dataDir)])
  await subscribe(second, sessionId, before.at(-1)?.seq ?? 0)
  await second.saw(({ type }) => type === 'AgentSessionRecovered')
  await second.call('session.message', { sessionId, content: 'What can you do?' })
  await second.saw(isStatus('idle'))
  expectGapFree([...before, ...durable(second)])
  await second.call('session.close', { sessionId })

  // Ends quickly when idle, with exit code 0 and without leftover processes.
  expect(await second.kill('SIGTERM')).toMatchObject({ code: 0 })
  await expect.poll(() => processesMentioning(dataDir)).toEqual([])
  expect(second.stderr()).not.toMatch(/error/i)
})

it('is killed beside a running server: the next message there recovers its session and starts a turn', async () => {
  const served = await serveProcess({ args: ['--model-source', 'simulator'] })
  try {
    const sidecar = await start([hello, ...simulated(served.dataDir), ...longStory])
    const { sessionId } = await sidecar.call('session.start', { agent: 'hello', message: 'Tell me a story.' })
    await subscribe(sidecar, sessionId)
    await sidecar.saw(({ type }) => type === 'AgentStreamToken')
    const sent = () => served.client.sendMessage(sessionId, { content: 'What can you do?' })
    await expect(sent()).rejects.toMatchObject({ code: 'session.held-elsewhere' })
    await sidecar.kill('SIGKILL')
    await sent()
    await expect.poll(async () => (await served.client.getSession(sessionId)).session.status).toBe('idle')
    const ended = (await wholeLog(served, sessionId)).flatMap((event) =>
      event.type === 'TurnEnded' ? [event.data.outcome] : [],
    )
    expect(ended).toEqual(['interrupted', 'completed'])
  } finally {
    await served.kill('SIGKILL')
  }
})

it('attaches to a running server, survives its restart, and ends when its reader is gone', async () => {
  const first = await serveProcess({ args: ['--model-source', 'simulator'] })
  let served = first
  try {
    const connect = ['--connect', first.url, '--data', first.dataDir]
    const sidecar = await start(connect)
    const { sessionId } = await sidecar.call('session.start', { agent: 'coder', message: 'run `echo there`' })
    await subscribe(sidecar, sessionId)
    const request = await sidecar.asked('approval.request')
    sidecar.write({ id: request.id, result: { decision: 'allow' } })
    await sidecar.saw(isStatus('idle'))

    await first.kill('SIGKILL')
    await expect(sidecar.call('session.get', { sessionId })).rejects.toThrow(/no answer from/)
    served = await serveProcess({
      args: ['--model-source', 'simulator'],
      dataDir: first.dataDir,
      port: Number(new URL(first.url).port),
    })
    expect(served.url).toBe(first.url)
    const seen = sidecar.events().length
    await sidecar.call('session.message', { sessionId, content: 'hi' })
    await expect.poll(() => sidecar.events().slice(seen).some(isStatus('idle'))).toBe(true)
    const log = await wholeLog(served, sessionId)
    expect(durable(sidecar)).toEqual(log)

    // A client of the server and the host of a sidecar see the same events.
    const watched = await watchUntil(served, sessionId, (event) => isDurable(event) && event.seq === log.length)
    expect(watched.filter(isDurable)).toEqual(log)

    sidecar.child.stdout.destroy()
    await sidecar.call('agent.list', {}).catch(() => undefined)
    expect(await sidecar.exited).toMatchObject({ code: 0 })
    expect(sidecar.stderr()).not.toContain('EPIPE')
  } finally {
    await served.kill('SIGKILL')
  }
})
