import type { HostToolbox, McpServerState } from '../backends/backend.ts'
import type { PartNews } from './tool-part.ts'

export interface ToolboxNews extends PartNews, Pick<HostToolbox, 'servers' | 'onChange' | 'onServer'> {}

export function createToolboxNews(): ToolboxNews {
  const changeListeners = new Set<() => void>()
  const serverListeners = new Set<(state: McpServerState) => void>()
  const states = new Map<string, McpServerState>()
  return {
    changed() {
      for (const listener of changeListeners) listener()
    },
    server(state) {
      states.set(state.name, state)
      for (const listener of serverListeners) listener(state)
    },
    servers: () => [...states.values()],
    onChange(listener) {
      changeListeners.add(listener)
      return () => void changeListeners.delete(listener)
    },
    onServer(listener) {
      // Servers come up before anybody can listen: what has become of them so far is told now.
      for (const state of states.values()) listener(state)
      serverListeners.add(listener)
      return () => void serverListeners.delete(listener)
    },
  }
}
