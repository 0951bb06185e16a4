import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { probeIsolation } from './probe-isolation.ts'
import { secretFilesOf, serverSecretFiles } from './secret-files.ts'
import { spawnSandboxed } from './spawn-sandboxed.ts'
import { findSystemTools } from './system-tools.ts'

const noFiles = { writable: [], locked: [], hidden: [], visible: [] }
const defaultPath = '/usr/local/bin:/usr/bin:/bin'

it('ends processes that a process left behind, even without namespaces', async () => {
  const root = mkdtempSync(join(tmpdir(), 'quarterdeck-sandbox-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const dataDir = join(root, 'data')
  const isolation = await probeIsolation({ ...findSystemTools(), unshare: null })
  const mark = `mark${Math.random()}`
  const args = ['-c', `setsid sh -c 'sleep 1000; : ${mark}' >/dev/null 2>&1 & exit 0`]
  const sandbox = { dataDir, files: noFiles, home: join(root, 'home'), path: defaultPath, isolation }
  const child = spawnSandboxed({ command: 'sh', args, cwd: root, env: {} }, sandbox)
  expect(await child.exit).toEqual({ how: 'exit code 0', code: 0, stderr: '' })
  expect(commandLines().filter((line) => line.includes(mark))).toEqual([])
  expect(readdirSync(join(dataDir, 'processes'))).toEqual([])
})

it('reports a process that was ended by a signal as failed', async () => {
  const root = mkdtempSync(join(tmpdir(), 'quarterdeck-sandbox-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const sandbox = { dataDir: join(root, 'data'), files: noFiles, home: join(root, 'home'), path: defaultPath }
  const args = ['-c', 'kill -TERM $$; exit 0']
  const command = { command: 'sh', args, cwd: root, env: {} }
  const { code } = await spawnSandboxed(command, { ...sandbox, isolation: await probeIsolation() }).exit
  expect(code).not.toBe(0)
})

it('hides the secret files of the server, even if its data folder is the one in the home folder', async (test) => {
  const isolation = await probeIsolation()
  if (!isolation.hidesFiles) return test.skip()
  const root = mkdtempSync(join(tmpdir(), 'quarterdeck-sandbox-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [config, project] = [join(root, '.quarterdeck', 'config.yaml'), join(root, 'project')]
  mkdirSync(join(root, '.quarterdeck'))
  mkdirSync(project)
  for (const file of [config, join(root, '.env'), join(project, '.env')]) writeFileSync(file, 'a made-up key')
  writeFileSync(join(project, 'config.yaml'), 'of the project')
  const hidden = secretFilesOf(join(project, 'agent.yaml'), serverSecretFiles({ homeDir: root, cwd: root }))
  const args = ['-c', `for file in '${config}' ../.env .env config.yaml; do cat "$file"; done; exit 0`]
  for (const dataDir of [join(root, 'data'), join(root, '.quarterdeck')]) {
    const files = { ...noFiles, hidden }
    const sandbox = { dataDir, files, home: join(dataDir, 'home'), path: defaultPath, isolation }
    const child = spawnSandboxed({ command: 'sh', args, cwd: project, env: {} }, sandbox)
    const [seen, { code }] = await Promise.all([text(child.output), child.exit])
    expect([seen, code]).toEqual(['of the project', 0])
  }
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
