import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { installation } from './installation.ts'
import { refuseWorkspace, refuseWritable } from './refuse-folder.ts'

function folders() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-refuse-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const name of ['data/workspaces', 'agents/one/output', 'shared'])
    mkdirSync(join(root, name), { recursive: true })
  return { root, dataDir: join(root, 'data'), locked: [join(root, 'agents/one')] }
}

it('lets an agent file name an ordinary folder, and a folder inside an agent folder', () => {
  const { root, ...place } = folders()
  expect(refuseWritable(join(root, 'shared'), place)).toBeNull()
  expect(refuseWritable(join(root, 'agents/one/output'), place)).toBeNull()
})

it('refuses an agent folder, and a folder that contains one', () => {
  const { root, ...place } = folders()
  for (const name of ['agents/one', 'agents']) {
    expect(refuseWritable(join(root, name), place)).toContain('belongs to an agent')
  }
})

it('refuses the data folder, folders in it, folders above it, and links to them', () => {
  const { root, ...place } = folders()
  symlinkSync(join(root, 'data'), join(root, 'link'))
  for (const name of ['data', 'data/workspaces', 'link', '.']) {
    expect(refuseWritable(join(root, name), { ...place, locked: [] })).toContain('data folder')
  }
})

it.each(['/', '/etc', '/etc/cron.d', '/usr/local/bin', '/var', '/var/lib', '/proc/sys', '/home'])(
  'refuses the system folder %s',
  (folder) => {
    const { root: _, ...place } = folders()
    expect(refuseWritable(folder, place)).not.toBeNull()
    expect(refuseWorkspace(folder, place.dataDir)).not.toBeNull()
  },
)

it('refuses the installation and the home folder', () => {
  const { root: _, ...place } = folders()
  for (const folder of [...installation, homedir()]) {
    expect(refuseWritable(folder, place)).not.toBeNull()
    expect(refuseWorkspace(folder, place.dataDir)).not.toBeNull()
  }
})
