// The WebSocket of the server package's dependencies: e2e/ has no package, and Node before 22 has no WebSocket.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { SocketConstructor } from '@quarterdeck/client'
import { checkout } from '../server/serve.ts'

export interface DialledSocket {
  on(event: 'message', listener: (data: Buffer) => void): unknown
  once(event: 'open', listener: () => void): unknown
  once(event: 'error', listener: (error: Error) => void): unknown
  send(text: string): void
  terminate(): void
}

type WebSocketClass = SocketConstructor &
  (new (
    url: string,
    options: { readonly headers: Readonly<Record<string, string>> },
  ) => DialledSocket)

const requireOfServer = createRequire(join(checkout, 'packages', 'server', 'package.json'))

// The part of its documented API that is used here.
export const { WebSocket } = requireOfServer('ws') as { readonly WebSocket: WebSocketClass }
