// The session API on one connection: JSON-RPC, any number of sessions, the envelopes and cursors of the event stream.

import { rpcErrorCodes, socketProtocol } from '@quarterdeck/protocol'
import type { Hono } from 'hono'
import type { AppEnv, KnownCaller } from '../http/app-env.ts'
import { maxBodyBytesWithImages } from '../http/read-body.ts'
import { type AppHostDeps, createAppHost } from '../rpc/create-app-host.ts'
import { createRpcPeer } from '../rpc/create-rpc-peer.ts'
import { mountSocket } from '../transports/mount-socket.ts'
import type { Frame, Socket } from '../transports/socket.ts'
import type { StreamDeps } from '../transports/stream-deps.ts'
import { otherAddresses } from './other-addresses.ts'

export function mountSocketRoute(app: Hono<AppEnv>, deps: StreamDeps & Pick<AppHostDeps, 'sessionsOf'>): void {
  const serve = async (caller: KnownCaller, socket: Socket): Promise<void> => {
    const host = createAppHost({ app, caller, sessionsOf: deps.sessionsOf })
    const peer = createRpcPeer({ host, connection: socket, logger: deps.logger })
    try {
      for await (const frame of socket.frames()) {
        if (frame.type === 'text') await peer.receive(frame.text)
        else await refuse(frame, socket)
      }
    } finally {
      await peer.close()
    }
  }
  mountSocket(
    app,
    {
      ...otherAddresses.openSocket,
      protocol: socketProtocol,
      maxFrameBytes: maxBodyBytesWithImages,
      open:
        async ({ principal, key }) =>
        (socket) =>
          serve({ principal, key }, socket),
    },
    deps,
  )
}

async function refuse(frame: Exclude<Frame, { type: 'text' }>, socket: Socket): Promise<void> {
  const message =
    frame.type === 'binary'
      ? 'a message must be text: this was binary'
      : `a message may have at most ${maxBodyBytesWithImages} bytes: this had ${frame.bytes}`
  await socket.drained()
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: rpcErrorCodes.invalidRequest, message } }))
}
