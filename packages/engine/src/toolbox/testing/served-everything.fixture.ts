// server-everything over HTTP or SSE on its own port.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'vitest'
import { serverFile, shellPath } from './toolbox-harness.fixture.ts'

export async function serveEverything(transport: 'streamableHttp' | 'sse') {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`
  let child: ChildProcess | null = null

  /** On the same port. */
  async function start(): Promise<void> {
    const env = { PATH: shellPath, PORT: String(port) }
    child = spawn(process.execPath, [serverFile('server-everything'), transport], { env, stdio: 'ignore' })
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/nowhere`).then(
        () => true,
        () => false,
      )
    await expect.poll(answers).toBe(true)
  }

  /** Kills it immediately, with its running calls. */
  async function kill(): Promise<void> {
    const dying = child
    child = null
    if (dying === null || dying.exitCode !== null) return
    const gone = once(dying, 'exit')
    dying.kill('SIGKILL')
    await gone
  }

  await start()
  return { url, kill, start }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
