// The client of a peer: sends messages and records those it receives.
import { silentLogger } from '@quarterdeck/engine'
import { createRpcPeer } from './create-rpc-peer.ts'
import type { RpcConnection, RpcHost } from './rpc-host.ts'

export interface PeerMessage {
  readonly id?: string | number | null
  readonly method?: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into it as it likes
  readonly params?: any
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into it as it likes
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> }
}

export function openPeer(host: RpcHost, connection: Partial<RpcConnection> = {}) {
  const sent: string[] = []
  const peer = createRpcPeer({
    host,
    logger: silentLogger,
    connection: {
      send(text) {
        sent.push(text)
        return connection.send?.(text) ?? true
      },
      drained: connection.drained ?? (() => Promise.resolve()),
    },
  })
  let calls = 0
  const received = (): PeerMessage[] => sent.flatMap((text) => JSON.parse(text) as PeerMessage | PeerMessage[])
  const until = async (find: (one: PeerMessage) => boolean): Promise<PeerMessage> => {
    for (;;) {
      const found = received().find(find)
      if (found !== undefined) return found
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  return {
    peer,
    sent,
    received,
    until,
    sendMessage: (message: unknown) => peer.receive(typeof message === 'string' ? message : JSON.stringify(message)),
    async call(method: string, params: object = {}): Promise<PeerMessage> {
      calls += 1
      const id = `call-${calls}`
      await peer.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return until((one) => one.id === id && one.method === undefined)
    },
    events: () => received().filter(({ method }) => method === 'session.event'),
  }
}
