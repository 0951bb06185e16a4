// What an agent cannot access, and what must not outlive its server. Each case runs as root and as an ordinary user.
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSimulator, Scenario } from '@quarterdeck/simulator'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type TestContext, vi } from 'vitest'
import { readRecords } from '../../../isolation/process-record.ts'
import { identify, isRunning } from '../../../system/linux-processes.ts'
import { find } from '../../contract/backend-events.contract.ts'
import { reapOrphans } from '../cli/reap-orphans.ts'
import { handleOf, noHandlesHere, openByHandle } from '../testing/file-handle.fixture.ts'
import {
  bundleHost,
  type Host,
  type HostFolders,
  makeHostFolders,
  startHost,
  users,
} from '../testing/start-host.fixture.ts'

let host: Awaited<ReturnType<typeof bundleHost>>
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  host = await bundleHost()
})
afterAll(() => host.remove())
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function modelCalling(command: string): Promise<string> {
  const steps = [
    { then: { text: 'I look', tools: [{ name: 'Bash', input: { command } }] } },
    { then: { text: 'done' } },
  ]
  const simulator = createSimulator({ mode: { script: Scenario.parse({ steps }) }, paceMs: 0 })
  cleanups.push(() => simulator.close())
  return (await simulator.listen()).url
}

function makeFolders(uid: number | null): HostFolders {
  const made = makeHostFolders(uid)
  cleanups.push(() => rmSync(made.root, { recursive: true, force: true }))
  return made
}

/** Pids of processes whose command line contains this text, without zombies. */
function runningWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && commandLine(pid).includes(text) && isRunning(identify(pid)))
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // The process has exited.
    return ''
  }
}

/** On a system without namespaces the session reports it, and there is nothing to test. */
function skipWhereOpen(context: TestContext, { child, events }: Host): void {
  const notice = events.find((event) => event.type === 'SecurityNoticed')
  if (notice === undefined) return
  child.kill('SIGKILL')
  context.skip(notice.data.sentence)
}

const run = ([file = '', ...args]: readonly string[]) => execFileSync(file, args, { encoding: 'utf8' })

const patient = { timeout: 60_000, interval: 50 }

/** An ordinary user cannot run a checkout below a folder that only root may enter. */
function canRead(uid: number | null, file: string): boolean {
  if (uid === null) return true
  return spawnSync('cat', [file], { uid, gid: uid, stdio: 'ignore' }).status === 0
}

describe.each(users)('an agent under %s', (_user, uid) => {
  beforeEach((context) => {
    if (!canRead(uid, host.file)) context.skip(`uid ${uid} may not enter the folder of this checkout`)
  })

  it('finds no server key in env or /proc/*/environ', async (context) => {
    const command = 'env; cat /proc/[0-9]*/environ | tr "\\0" "\\n"; ls /proc | grep -c "^[0-9]"'
    const { dataDir, cwd } = makeFolders(uid)
    const order = { dataDir, cwd, baseUrl: await modelCalling(command), prompt: 'look', isBare: false }
    const running = startHost(host.file, order, { uid, env: { ANTHROPIC_API_KEY: 'canary-in-the-server' } })
    await running.ended
    skipWhereOpen(context, running)
    const { output } = find(running.events, 'ToolExecuted').data
    expect(output).toContain('ANTHROPIC_API_KEY=made-up-token')
    expect(output).not.toContain('canary-in-the-server')
  })

  it('sees neither the access token nor the database nor another session, and cannot uncover them', async (context) => {
    const { dataDir, cwd } = makeFolders(uid)
    for (const name of ['token', 'quarterdeck.db'])
      writeFileSync(join(dataDir, name), 'canary-on-disk', { mode: 0o666 })
    const command = [
      `cat ${dataDir}/token ${dataDir}/quarterdeck.db ../../token`,
      `umount ${dataDir}`,
      `unshare --user --map-root-user --mount sh -c 'umount ${dataDir}; cat ${dataDir}/token'`,
      'for fd in /proc/self/fd/*; do cat $fd/../../token; done',
      `ls ${dataDir}`,
      `echo written > ${cwd}/file`,
    ].join('; ')
    const order = { dataDir, cwd, baseUrl: await modelCalling(`${command}; true`), prompt: 'look', isBare: false }
    const running = startHost(host.file, order, { uid, env: {} })
    await running.ended
    skipWhereOpen(context, running)
    const { output } = find(running.events, 'ToolExecuted').data
    expect(output).not.toContain('canary-on-disk')
    expect(output).toMatch(/claude\s+workspaces/)
    expect(readFileSync(join(cwd, 'file'), 'utf8')).toBe('written\n')
  })

  it('cannot bypass the mounts by opening the access token by its file handle', async (context) => {
    const reason = noHandlesHere()
    if (reason !== null) context.skip(reason)
    const { dataDir, cwd } = makeFolders(uid)
    const token = join(dataDir, 'token')
    writeFileSync(token, 'canary-on-disk', { mode: 0o666 })
    const attack = openByHandle(handleOf(token), cwd)
    // With the capability the attack works, so the test is valid.
    if (process.getuid?.() === 0) expect(run(attack)).toContain('canary-on-disk')
    const line = attack.map((word) => `'${word}'`).join(' ')
    const command = `${line}; unshare --user --map-root-user --mount ${line}; setpriv --reuid 1000 unshare -Ur ${line}; true`
    const order = { dataDir, cwd, baseUrl: await modelCalling(command), prompt: 'look', isBare: false }
    const running = startHost(host.file, order, { uid, env: {} })
    await running.ended
    skipWhereOpen(context, running)
    const { output } = find(running.events, 'ToolExecuted').data
    expect(output).toContain('refused')
    expect(output).not.toContain('canary-on-disk')
  })

  it('has an ordinary shell, but no disk devices, no kernel log and no dangerous capability', async (context) => {
    const { dataDir, cwd } = makeFolders(uid)
    const command = [
      'for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/kernel/uevent_helper; do',
      '  if test -w $file; then echo "can write $file"; fi; done',
      'for device in /dev/*; do if test -b $device -a -r $device; then echo "can read $device"; fi; done',
      'if test -w /sys/fs/cgroup; then echo "can write cgroups"; fi',
      'unshare --user --map-root-user --mount sh -c "mount -o remount,bind,rw /proc/sys && echo undone; umount /dev && echo undone"',
      'grep -E "CapEff|CapBnd|CapInh|CapAmb|NoNewPrivs" /proc/self/status',
      'cat <(echo substituted) > /dev/null && cat <(echo substituted); echo "$(head -c 4 /dev/zero | wc -c) zeros"',
      'mkdir made && touch made/file && chmod 600 made/file && rm -r made && echo tidy',
    ].join('\n')
    const order = { dataDir, cwd, baseUrl: await modelCalling(command), prompt: 'look', isBare: false }
    const running = startHost(host.file, order, { uid, env: {} })
    await running.ended
    skipWhereOpen(context, running)
    const { output } = find(running.events, 'ToolExecuted').data
    expect(output).not.toMatch(/can (read|write)|undone/)
    expect(output).toMatch(/substituted\n4 zeros\ntidy/)
    // chown, dac_override, fowner, fsetid, kill, setgid, setuid, net_bind_service
    const rights = uid === null && process.getuid?.() === 0 ? '00000000000004fb' : '0000000000000000'
    expect(output).toContain(`CapEff:\t${rights}`)
    expect(output).toContain(`CapBnd:\t${rights}`)
    expect(output).toContain('NoNewPrivs:\t1')
  })

  it('is killed together with its shell when the server is killed', async (context) => {
    const { dataDir, cwd } = makeFolders(uid)
    const sign = `9${Date.now() % 100_000}.${uid ?? 0}`
    const order = {
      dataDir,
      cwd,
      baseUrl: await modelCalling(`for i in 1 2; do sleep ${sign}; done`),
      prompt: 'go',
      isBare: false,
    }
    const running = startHost(host.file, order, { uid, env: {} })
    await vi.waitUntil(() => runningWith(`sleep\0${sign}`).length > 0, patient)
    skipWhereOpen(context, running)
    const [record] = readRecords(dataDir)
    running.child.kill('SIGKILL')
    await vi.waitUntil(() => runningWith(sign).length === 0, patient)
    await vi.waitUntil(() => record !== undefined && !isRunning(record.process), patient)
    expect(await reapOrphans(dataDir)).toBe(0)
    expect(readRecords(dataDir)).toEqual([])
  })

  it('is killed together with its shell at the next start if it was not sandboxed', async () => {
    const { dataDir, cwd } = makeFolders(uid)
    const sign = `8${Date.now() % 100_000}.${uid ?? 0}`
    const order = {
      dataDir,
      cwd,
      baseUrl: await modelCalling(`for i in 1 2; do sleep ${sign}; done`),
      prompt: 'go',
      isBare: true,
    }
    const running = startHost(host.file, order, { uid, env: {} })
    await vi.waitUntil(() => runningWith(`sleep\0${sign}`).length > 0, patient)
    expect(await reapOrphans(dataDir)).toBe(0)
    expect(find(running.events, 'SecurityNoticed').data.code).toBe('agent.not-shut-in')
    running.child.kill('SIGKILL')
    await running.ended
    expect(runningWith(`sleep\0${sign}`)).not.toEqual([])
    expect(await reapOrphans(dataDir)).toBeGreaterThanOrEqual(2)
    expect(runningWith(sign)).toEqual([])
    expect(readRecords(dataDir)).toEqual([])
  })
})
