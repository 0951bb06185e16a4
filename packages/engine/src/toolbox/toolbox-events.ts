import type { HostToolbox, McpServerState } from '../backends/backend.ts'
import type { ToolSourceEvents } from './tool-source.ts'

export interface ToolboxEvents extends ToolSourceEvents, Pick<HostToolbox, 'servers' | 'onChange' | 'onServer'> {}

export function createToolboxEvents(): ToolboxEvents {
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
