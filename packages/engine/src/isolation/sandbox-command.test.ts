import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type FileView, planMounts } from './mount-plan.ts'
import { type Isolation, sandboxCommand } from './sandbox-command.ts'
import type { SystemTools } from './system-tools.ts'

const tools: SystemTools = {
  setpriv: 'setpriv',
  unshare: 'unshare',
  mount: 'mount',
  mkdir: 'mkdir',
  ln: 'ln',
  stat: 'stat',
  shell: 'sh',
}
const isolation: Isolation = {
  pidNamespace: true,
  ownProc: true,
  hidesFiles: true,
  guardsMachine: false,
  why: null,
  prefix: ['unshare', '--'],
  dropRights: ['setpriv', '--'],
}

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Outside /tmp, which is mounted in a different way, wherever this checkout lies. */
function folders() {
  const root = realpathSync(mkdtempSync('/var/tmp/quarterdeck-mounts-'))
  made.push(root)
  const [data, work] = [join(root, 'data'), join(root, 'work')]
  const [home, tmp] = [join(data, 'home'), join(data, 'tmp')]
  for (const folder of [data, work, home, tmp]) mkdirSync(folder)
  const view: FileView = { cwd: work, writable: [work, home], locked: [], hidden: [data], visible: [], tmp }
  return { root, data, work, home, view }
}

const mountPointsOf = (view: FileView) => planMounts(view).mountPoints.map(({ kind, path }) => [kind, path])

describe('planMounts', () => {
  it('hides the data folder and keeps the folders of the process writable inside it', () => {
    const { data, work, home, view } = folders()
    expect(mountPointsOf(view)).toEqual([
      ['writable', '/tmp'],
      ['hiddenFolder', data],
      ['writable', work],
      ['writable', home],
    ])
  })

  it('locks files inside a writable folder, and pins the folders above them so that none can be renamed', () => {
    const { work, view } = folders()
    mkdirSync(join(work, 'agents/other'), { recursive: true })
    for (const file of ['agent.yaml', 'agents/other/agent.yaml']) writeFileSync(join(work, file), '')
    const locked = [join(work, 'agent.yaml'), join(work, 'agents/other/agent.yaml'), join(work, 'missing.yaml')]
    expect(mountPointsOf({ ...view, locked }).filter(([, path]) => path?.startsWith(`${work}/`))).toEqual([
      ['pinned', join(work, 'agents')],
      ['locked', join(work, 'agent.yaml')],
      ['pinned', join(work, 'agents/other')],
      ['locked', join(work, 'agents/other/agent.yaml')],
    ])
  })

  it('does not lock the working directory, nor a folder above it', () => {
    const { root, work, view } = folders()
    expect(mountPointsOf({ ...view, locked: [root, work] }).filter(([kind]) => kind === 'locked')).toEqual([])
  })

  it('hides a file inside a writable folder, and the data folder inside a writable folder', () => {
    const { root, data, view } = folders()
    writeFileSync(join(root, '.env'), 'KEY=1')
    const mountPoints = mountPointsOf({ ...view, cwd: root, writable: [root], hidden: [data, join(root, '.env')] })
    expect(mountPoints).toEqual(
      expect.arrayContaining([
        ['hiddenFolder', data],
        ['hiddenFile', join(root, '.env')],
      ]),
    )
  })

  it('mounts visible folders below /tmp again, and no others', () => {
    const { root, view } = folders()
    const below = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-visible-')))
    made.push(below)
    const visible = mountPointsOf({ ...view, visible: [below, root] }).filter(([kind]) => kind === 'visible')
    expect(visible).toEqual(below.startsWith('/tmp/') ? [['visible', below]] : [])
  })
})

describe('sandboxCommand', () => {
  it('binds writable folders aside before everything becomes read-only, and drops rights after the mounts', () => {
    const { work, view } = folders()
    const line = sandboxCommand(['claude'], { isolation, tools, view })
    const steps = line.slice(line.indexOf('enter'), line.indexOf('run'))
    expect(steps.indexOf('freeze')).toBeGreaterThan(steps.lastIndexOf('keep'))
    expect(steps.indexOf('move')).toBeGreaterThan(steps.indexOf('freeze'))
    expect(steps.slice(-2)).toEqual(['enter', work])
    expect(line.slice(line.indexOf('run'))).toEqual(['run', 'setpriv', '--', 'claude'])
  })

  it('makes kernel settings read-only for root', () => {
    const { view } = folders()
    const line = sandboxCommand(['claude'], { isolation: { ...isolation, guardsMachine: true }, tools, view })
    expect(line.slice(line.indexOf('/proc/sys') - 1, line.indexOf('/proc/sys') + 1)).toEqual(['lock', '/proc/sys'])
  })

  it('only wraps the command where mounts are impossible', () => {
    const { view } = folders()
    const line = sandboxCommand(['claude', '--x'], { isolation: { ...isolation, hidesFiles: false }, tools, view })
    expect(line).toEqual(['unshare', '--', 'claude', '--x'])
  })
})
