// Bundles the host from its sources and starts it as a separate process, as root or as an ordinary user.
import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import type { BackendEvent } from '../../backend.ts'

export interface HostFolders {
  readonly root: string
  readonly dataDir: string
  readonly cwd: string
}

/** Only root can switch users. */
export const users: readonly (readonly [string, number | null])[] =
  process.getuid?.() === 0
    ? [
        ['root', null],
        ['an ordinary user', 1000],
      ]
    : [['an ordinary user', null]]

export interface Host {
  readonly child: ChildProcess
  readonly events: BackendEvent[]
  readonly ended: Promise<void>
}

/** Inside the repository, so that the bundle finds the SDK. The caller removes it. */
export async function bundleHost(): Promise<{ readonly file: string; remove(): void }> {
  const folder = join(import.meta.dirname, '..', '..', '..', '..', 'dist', `host-${process.pid}`)
  await build({
    configFile: false,
    logLevel: 'silent',
    ssr: { resolve: { conditions: ['@quarterdeck/source', 'module', 'node'] }, noExternal: [/^@quarterdeck\//] },
    build: {
      ssr: fileURLToPath(new URL('./host.fixture.ts', import.meta.url)),
      outDir: folder,
      emptyOutDir: true,
      target: 'node20',
    },
  })
  return { file: join(folder, 'host.fixture.js'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export function makeHostFolders(uid: number | null): HostFolders {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-host-')))
  const dataDir = join(root, 'data')
  const cwd = join(dataDir, 'workspaces', 'one')
  mkdirSync(cwd, { recursive: true })
  if (uid !== null) {
    for (const path of [root, dataDir, join(dataDir, 'workspaces'), cwd]) chownSync(path, uid, uid)
  }
  return { root, dataDir, cwd }
}

export function startHost(file: string, order: object, how: { uid: number | null; env: Record<string, string> }): Host {
  const child = spawn(process.execPath, [file, JSON.stringify(order)], {
    env: { PATH: '/usr/bin:/bin', ...how.env },
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(how.uid !== null && { uid: how.uid, gid: how.uid }),
  })
  const events: BackendEvent[] = []
  createInterface({ input: child.stdout }).on('line', (line) => events.push(JSON.parse(line)))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return { child, events, ended }
}
