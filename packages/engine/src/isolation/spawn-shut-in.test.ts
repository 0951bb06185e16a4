import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { probeIsolation } from './probe-isolation.ts'
import { spawnShutIn } from './spawn-shut-in.ts'
import { findSystemTools } from './system-tools.ts'

it('what a process left behind when it ended itself is gone with it, also without namespaces', async () => {
  const root = mkdtempSync(join(tmpdir(), 'quarterdeck-shut-in-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const dataDir = join(root, 'data')
  const isolation = await probeIsolation({ ...findSystemTools(), unshare: null })
  const mark = `mark${Math.random()}`
  const args = ['-c', `setsid sh -c 'sleep 1000; : ${mark}' >/dev/null 2>&1 & exit 0`]
  const place = { dataDir, home: join(root, 'home'), path: '/usr/local/bin:/usr/bin:/bin', isolation }
  const child = spawnShutIn({ command: 'sh', args, cwd: root, env: {} }, place)
  expect(await child.exit).toEqual({ how: 'exit code 0', code: 0, stderr: '' })
  expect(commandLines().filter((line) => line.includes(mark))).toEqual([])
  expect(readdirSync(join(dataDir, 'processes'))).toEqual([])
})

it('a process that ends itself by a signal is over, and not well', async () => {
  const root = mkdtempSync(join(tmpdir(), 'quarterdeck-shut-in-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const place = { dataDir: join(root, 'data'), home: join(root, 'home'), path: '/usr/local/bin:/usr/bin:/bin' }
  const args = ['-c', 'kill -TERM $$; exit 0']
  const command = { command: 'sh', args, cwd: root, env: {} }
  const { code } = await spawnShutIn(command, { ...place, isolation: await probeIsolation() }).exit
  expect(code).not.toBe(0)
})

function commandLines(): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : []
    } catch {
      return []
    }
  })
}
