// One host for the functions of an agent, shared by its sessions, for as long as one of them may call it.
import { isInside } from '../../isolation/real-path.ts'
import { createModuleHost, type ModuleHost, type ModuleHostOptions } from './module-host.ts'
import type { WorkerPlace } from './start-worker.ts'

export interface ModuleHosts {
  /** The same agent in the same folder with the same environment gets the same host. Callers must give it back. */
  take(agentName: string, place: Omit<WorkerPlace, 'memoryMb'>): LentHost
  close(): Promise<void>
}

export interface LentHost extends Omit<ModuleHost, 'close'> {
  giveBack(): void
}

interface Kept {
  readonly host: ModuleHost
  users: number
  /** Runs while nobody uses it. */
  idle: NodeJS.Timeout | null
}

/** Long enough for the next session; an agent whose file has changed never takes its old host again. */
const idleMs = 600_000

export function createModuleHosts({
  memoryMb,
  ...options
}: Omit<ModuleHostOptions, 'agentName' | 'place'> & Pick<WorkerPlace, 'memoryMb'>): ModuleHosts {
  const kept = new Map<string, Kept>()

  function drop(key: string): void {
    const { host } = kept.get(key) ?? {}
    kept.delete(key)
    void host?.close()
  }

  return {
    take(agentName, place) {
      const key = JSON.stringify([
        agentName,
        place.project,
        place.cwd,
        Object.entries(place.env).sort(),
        place.files.writable,
      ])
      const host = () => createModuleHost({ ...options, agentName, place: { ...place, memoryMb } })
      const found = kept.get(key) ?? { host: host(), users: 0, idle: null }
      kept.set(key, found)
      found.users += 1
      if (found.idle !== null) clearTimeout(found.idle)
      let isTaken = true
      return {
        ...found.host,
        giveBack() {
          if (!isTaken) return
          isTaken = false
          found.users -= 1
          if (found.users > 0) return
          // A working directory in the data folder is the copy of one session: no other session will use this host.
          const keptMs = isInside(place.dataDir, place.cwd) ? 0 : idleMs
          found.idle = setTimeout(() => drop(key), keptMs).unref()
        },
      }
    },
    async close() {
      const all = [...kept.values()]
      kept.clear()
      for (const { idle } of all) if (idle !== null) clearTimeout(idle)
      await Promise.all(all.map(({ host }) => host.close()))
    },
  }
}
