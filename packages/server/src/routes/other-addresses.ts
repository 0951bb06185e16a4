// The addresses outside of the table of operations: sockets, texts, and the addresses of foreign wires.
import { type Operation, socketPath } from '@quarterdeck/protocol'

/** The permission decides whether an address needs a key. */
export type Address = Pick<Operation, 'method' | 'path' | 'permission'>

export const otherAddresses = {
  /** Read permission is enough to open it: each call is checked separately. */
  openSocket: { method: 'get', path: socketPath, permission: 'read' },
  openChatSocket: { method: 'get', path: '/ws/chat', permission: 'read' },
  listChatModels: { method: 'get', path: '/models', permission: 'read' },
  listChatApiModels: { method: 'get', path: '/api/models', permission: 'read' },
  setClientConfig: { method: 'post', path: '/compat/claude-agent-server/config', permission: 'work' },
  getClientConfig: { method: 'get', path: '/compat/claude-agent-server/config', permission: 'read' },
  openClientSocket: { method: 'get', path: '/compat/claude-agent-server/ws', permission: 'work' },
  metrics: { method: 'get', path: '/metrics', permission: 'read' },
  openapi: { method: 'get', path: '/openapi.json', permission: 'read' },
  /** Clients know this path: it keeps its name. */
  sandbox: { method: 'get', path: '/sandbox.html', permission: 'nothing' },
  login: { method: 'get', path: '/login', permission: 'nothing' },
} as const satisfies Readonly<Record<string, Address>>
