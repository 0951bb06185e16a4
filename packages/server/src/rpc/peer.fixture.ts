// The other end of a peer: what it says, and what it was told.
import { silentLogger } from '@quarterdeck/engine'
import { createRpcPeer } from './create-rpc-peer.ts'
import type { RpcHost, RpcLine } from './rpc-host.ts'

export interface Told {
  readonly id?: string | number | null
  readonly method?: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into it as it likes
  readonly params?: any
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into it as it likes
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> }
}

export function openPeer(host: RpcHost, line: Partial<RpcLine> = {}) {
  const sent: string[] = []
  const peer = createRpcPeer({
    host,
    logger: silentLogger,
    line: {
      send(text) {
        sent.push(text)
        return line.send?.(text) ?? true
      },
      room: line.room ?? (() => Promise.resolve()),
    },
  })
  let calls = 0
  const told = (): Told[] => sent.flatMap((text) => JSON.parse(text) as Told | Told[])
  const until = async (find: (one: Told) => boolean): Promise<Told> => {
    for (;;) {
      const found = told().find(find)
      if (found !== undefined) return found
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  return {
    ...{ peer, sent, told, until },
    say: (message: unknown) => peer.receive(typeof message === 'string' ? message : JSON.stringify(message)),
    async call(method: string, params: object = {}): Promise<Told> {
      calls += 1
      const id = `call-${calls}`
      await peer.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return until((one) => one.id === id && one.method === undefined)
    },
    events: () => told().filter(({ method }) => method === 'session.event'),
  }
}
