// One host for the functions of an agent, shared by its sessions and kept while one of them may call it.
import { isBelow } from '../../system/path-inside.ts'
import { createModuleHost, type ModuleHost, type ModuleHostOptions } from './module-host.ts'
import type { WorkerOptions } from './start-worker.ts'

export type ModuleHosts = ReturnType<typeof createModuleHosts>

export interface SharedModuleHost extends Omit<ModuleHost, 'close'> {
  release(): void
}

interface HostEntry {
  readonly host: ModuleHost
  users: number
  /** Runs while no session uses it. */
  idle: NodeJS.Timeout | null
}

/** Long enough for the next session. An agent whose file has changed never reuses its old host. */
const idleMs = 600_000

export function createModuleHosts({
  memoryMb,
  ...options
}: Omit<ModuleHostOptions, 'agentName' | 'workerOptions'> & Pick<WorkerOptions, 'memoryMb'>) {
  const hosts = new Map<string, HostEntry>()

  function drop(key: string): void {
    const { host } = hosts.get(key) ?? {}
    hosts.delete(key)
    void host?.close()
  }

  return {
    /** The same agent in the same folder with the same environment gets the same host. Callers must release it. */
    acquire(agentName: string, workerOptions: Omit<WorkerOptions, 'memoryMb'>) {
      const key = JSON.stringify([
        agentName,
        workerOptions.project,
        workerOptions.cwd,
        Object.entries(workerOptions.env).sort(),
        workerOptions.files.writable,
      ])
      const host = () => createModuleHost({ ...options, agentName, workerOptions: { ...workerOptions, memoryMb } })
      const found = hosts.get(key) ?? { host: host(), users: 0, idle: null }
      hosts.set(key, found)
      found.users += 1
      if (found.idle !== null) clearTimeout(found.idle)
      let isTaken = true
      return {
        ...found.host,
        release() {
          if (!isTaken) return
          isTaken = false
          found.users -= 1
          if (found.users > 0) return
          // A working directory in the data folder is the copy of one session: no other session will use this host.
          const idleLimitMs = isBelow({ path: workerOptions.cwd, folder: workerOptions.dataDir }) ? 0 : idleMs
          found.idle = setTimeout(() => drop(key), idleLimitMs).unref()
        },
      }
    },
    async close() {
      const all = [...hosts.values()]
      hosts.clear()
      for (const { idle } of all) if (idle !== null) clearTimeout(idle)
      await Promise.all(all.map(({ host }) => host.close()))
    },
  }
}
