import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type Isolation, shutIn } from './hide-files.ts'
import type { SystemTools } from './system-tools.ts'

const tools: SystemTools = {
  setpriv: 'setpriv',
  unshare: 'unshare',
  mount: 'mount',
  mkdir: 'mkdir',
  ln: 'ln',
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

function folders() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-hide-')))
  made.push(root)
  const data = join(root, 'data')
  const cwd = join(data, 'work')
  mkdirSync(cwd, { recursive: true })
  return { root, data, cwd }
}

/** The part between the script and the command. */
const stepsOf = (line: readonly string[]) => line.slice(line.indexOf('ln') + 1, line.indexOf('run'))

describe('shutIn', () => {
  it('hides a folder but brings back what the agent works in', () => {
    const { data, cwd } = folders()
    const line = shutIn(['claude'], { isolation, tools, sight: { hidden: [data], kept: [], cwd } })
    expect(stepsOf(line)).toEqual([
      ...['enter', '/', 'hold', '3', cwd, 'hide', data, 'back', '3', cwd, 'seal', data, 'enter', cwd],
    ])
    expect(line.slice(line.indexOf('run'))).toEqual(['run', 'setpriv', '--', 'claude'])
  })

  it('keeps the folders of the agent also where the hidden folder lies inside the one it works in', () => {
    const { root, data } = folders()
    const home = join(data, 'home')
    mkdirSync(home)
    const line = shutIn(['claude'], { isolation, tools, sight: { hidden: [data], kept: [home], cwd: root } })
    expect(stepsOf(line)).toEqual([
      ...['enter', '/', 'hold', '3', home, 'hide', data, 'back', '3', home, 'seal', data, 'enter', root],
    ])
  })

  it('keeps a folder whose name begins with dots', () => {
    const { root, data } = folders()
    const home = join(data, '..home')
    mkdirSync(home)
    const line = shutIn(['claude'], { isolation, tools, sight: { hidden: [data], kept: [home], cwd: root } })
    expect(stepsOf(line)).toContain(home)
  })

  it('keeps as many folders as a shell has handles for, and refuses more', () => {
    const { data, cwd } = folders()
    const kept = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => join(data, name))
    for (const folder of kept) mkdirSync(folder)
    const shut = (some: readonly string[]) =>
      shutIn(['claude'], { isolation, tools, sight: { hidden: [data], kept: some, cwd } })
    const steps = stepsOf(shut(kept.slice(1)))
    for (const folder of [...kept.slice(1), cwd]) expect(steps.filter((step) => step === folder)).not.toEqual([])
    expect(() => shut(kept)).toThrow('at most 7 folders')
  })

  it('covers a single file, and skips what is not there', () => {
    const { root, cwd } = folders()
    const token = join(root, 'token')
    writeFileSync(token, 'x')
    const line = shutIn(['claude'], { isolation, tools, sight: { hidden: [token, join(root, 'no')], kept: [], cwd } })
    expect(stepsOf(line)).toEqual(['enter', '/', 'file', token, 'enter', cwd])
  })

  it('covers a file after the folders, once, and only where it is still seen', () => {
    const { root, data, cwd } = folders()
    const [inData, inCwd, beside] = [join(data, 'config.yaml'), join(cwd, '.env'), join(root, '.env')]
    for (const file of [inData, inCwd, beside]) writeFileSync(file, 'x')
    const hidden = [inData, inCwd, beside, data, data, beside]
    const line = shutIn(['claude'], { isolation, tools, sight: { hidden, kept: [], cwd } })
    expect(stepsOf(line)).toEqual([
      ...['enter', '/', 'hold', '3', cwd, 'hide', data, 'back', '3', cwd, 'seal', data],
      ...['file', inCwd, 'file', beside, 'enter', cwd],
    ])
  })

  it('does not hide the very folder the agent works in', () => {
    const { data } = folders()
    const line = shutIn(['claude'], { isolation, tools, sight: { hidden: [data], kept: [], cwd: data } })
    expect(stepsOf(line)).toEqual(['enter', '/', 'enter', data])
  })

  it('gives root a /dev without disks and a kernel it cannot change, after hiding and before its rights go', () => {
    const { data, cwd } = folders()
    const guarded = { ...isolation, guardsMachine: true }
    const line = shutIn(['claude'], { isolation: guarded, tools, sight: { hidden: [data], kept: [], cwd } })
    const steps = stepsOf(line).slice(stepsOf(line).indexOf('seal') + 2)
    expect(steps.slice(0, 4)).toEqual(['devices', '/tmp', 'lock', '/proc/sys'])
    expect(steps.slice(-4)).toEqual(['below', '/sys', 'enter', cwd])
  })

  it('only wraps the command where mounts are impossible', () => {
    const { data, cwd } = folders()
    const weaker = { ...isolation, hidesFiles: false }
    const line = shutIn(['claude', '--x'], { isolation: weaker, tools, sight: { hidden: [data], kept: [], cwd } })
    expect(line).toEqual(['unshare', '--', 'claude', '--x'])
  })
})
