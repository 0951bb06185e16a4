// One host for the functions of an agent, shared by its sessions, for as long as one of them may call it.
import { createModuleHost, type ModuleHost, type ModuleHostOptions } from './module-host.ts'

export interface ModuleHosts {
  /** The same agent with the same environment gets the same host. Whoever takes one gives it back. */
  take(wanted: Pick<ModuleHostOptions, 'agentName' | 'project' | 'env'>): LentHost
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

export function createModuleHosts(
  options: Pick<ModuleHostOptions, 'isWatching' | 'memoryMb' | 'redact' | 'logger'>,
): ModuleHosts {
  const kept = new Map<string, Kept>()

  function drop(key: string): void {
    const { host } = kept.get(key) ?? {}
    kept.delete(key)
    void host?.close()
  }

  return {
    take({ agentName, project, env }) {
      const key = JSON.stringify([agentName, project, Object.entries(env).sort()])
      const host = () => createModuleHost({ ...options, agentName, project, env })
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
          if (found.users === 0) found.idle = setTimeout(() => drop(key), idleMs).unref()
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
