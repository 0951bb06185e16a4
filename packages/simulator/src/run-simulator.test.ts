import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runSimulator } from './run-simulator.ts'

/** Runs until the test ends, or to its exit code if the arguments are refused. */
async function start(...argv: string[]) {
  const stop = new AbortController()
  const errors: string[] = []
  let exitCode: Promise<number> | undefined
  const line = await new Promise<string>((resolve) => {
    const program = {
      stdout: { write: resolve },
      stderr: { write: (text: string) => errors.push(text) },
      signal: stop.signal,
    }
    exitCode = runSimulator(argv, program)
    void exitCode.then(() => resolve('{}'))
  })
  onTestFinished(() => stop.abort())
  const { url = '' }: { url?: string } = JSON.parse(line)
  return { url, errors, stop, exitCode }
}

async function askFor(url: string, content: string): Promise<unknown> {
  const body = { model: 'claude', max_tokens: 100, messages: [{ role: 'user', content }] }
  const response = await fetch(`${url}/v1/messages`, { method: 'POST', body: JSON.stringify(body) })
  return response.json()
}

describe('runSimulator', () => {
  it('prints the URL of a free port, answers there and exits with 0 when the signal aborts', async () => {
    const { url, stop, exitCode, errors } = await start('--pace', '0')
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await askFor(url, 'hello')).toMatchObject({ type: 'message', model: 'simulator' })
    stop.abort()
    expect(await exitCode).toBe(0)
    expect(errors).toEqual([])
    await expect(fetch(url)).rejects.toThrow()
  })

  it('listens on the given port and exits with 2 when the port is in use', async () => {
    const first = await start()
    const { port } = new URL(first.url)
    const second = await start('--port', port)
    expect(await second.exitCode).toBe(2)
    expect(second.errors.join('')).toContain('EADDRINUSE')
    first.stop.abort()
    await first.exitCode
    expect((await start('--port', port)).url).toBe(first.url)
  })

  it('answers from a scenario file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'simulator-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'scenario.yaml')
    await writeFile(file, 'name: one answer\nsteps:\n  - then: { text: from the file }\n')
    const { url } = await start('--script', file, '--pace', '0')
    expect(await askFor(url, 'hello')).toMatchObject({ content: [{ type: 'text', text: 'from the file' }] })
  })

  it.each([
    [['--port', '70000'], '--port must be between 0 and 65535, not "70000"'],
    [['--pace', 'slow'], '--pace must be a number of milliseconds, not "slow"'],
    [['--script', '/missing.yaml'], '/missing.yaml'],
    [['--colour'], '--colour'],
  ])('refuses %j with exit code 2, the reason and the usage', async (argv, reason) => {
    const { errors, exitCode } = await start(...argv)
    expect(await exitCode).toBe(2)
    expect(errors.join('')).toContain(reason)
    expect(errors.join('')).toContain('Usage: quarterdeck-simulator')
  })
})
