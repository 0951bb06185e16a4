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
  const { root, ...protectedFolders } = folders()
  expect(refuseWritable(join(root, 'shared'), protectedFolders)).toBeNull()
  expect(refuseWritable(join(root, 'agents/one/output'), protectedFolders)).toBeNull()
})

it('refuses an agent folder, and a folder that contains one', () => {
  const { root, ...protectedFolders } = folders()
  for (const name of ['agents/one', 'agents']) {
    expect(refuseWritable(join(root, name), protectedFolders)).toContain('belongs to an agent')
  }
})

it('refuses the data folder, folders in it, folders above it, and links to them', () => {
  const { root, ...protectedFolders } = folders()
  symlinkSync(join(root, 'data'), join(root, 'link'))
  for (const name of ['data', 'data/workspaces', 'link', '.']) {
    expect(refuseWritable(join(root, name), { ...protectedFolders, locked: [] })).toContain('data folder')
  }
})

it.each(['/', '/etc', '/etc/cron.d', '/usr/local/bin', '/var', '/var/lib', '/proc/sys', '/home'])(
  'refuses the system folder %s',
  (folder) => {
    const { root: _, ...protectedFolders } = folders()
    expect(refuseWritable(folder, protectedFolders)).not.toBeNull()
    expect(refuseWorkspace(folder, protectedFolders.dataDir)).not.toBeNull()
  },
)

it('refuses the installation and the home folder', () => {
  const { root: _, ...protectedFolders } = folders()
  for (const folder of [...installation, homedir()]) {
    expect(refuseWritable(folder, protectedFolders)).not.toBeNull()
    expect(refuseWorkspace(folder, protectedFolders.dataDir)).not.toBeNull()
  }
})
