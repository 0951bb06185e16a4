import type { HostToolbox, McpServerState } from '../ports/host-toolbox.ts'
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
      // Servers start before a listener can subscribe, so their current states are reported on subscription.
      for (const state of states.values()) listener(state)
      serverListeners.add(listener)
      return () => void serverListeners.delete(listener)
    },
  }
}
