// The WebSocket of the server's own package: these tests are no package and have none, and Node before 22 has none.
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

// As the package documents it: only what is used here.
export const { WebSocket } = requireOfServer('ws') as { readonly WebSocket: WebSocketClass }
