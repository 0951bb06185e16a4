// A failing network: every connection with an event stream is cut after some bytes, like a pulled cable.
import { connect, createServer } from 'node:net'
import { listenOnLoopback } from './listen-on-loopback.ts'

export interface CuttingProxy {
  readonly url: string
  cuts(): number
  close(): Promise<void>
}

export async function startCuttingProxy(target: string, bytesUntilCut: () => number): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  let cuts = 0
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    let left: number | null = null
    const end = () => {
      near.destroy()
      far.destroy()
    }
    near.on('data', (chunk) => {
      if (chunk.includes('text/event-stream')) left = bytesUntilCut()
      far.write(chunk)
    })
    far.on('data', (chunk) => {
      if (left === null || chunk.length <= left) {
        if (left !== null) left -= chunk.length
        near.write(chunk)
        return
      }
      cuts += 1
      near.write(chunk.subarray(0, left), end)
    })
    for (const socket of [near, far]) socket.on('error', end).on('close', end)
  })
  return {
    url: await listenOnLoopback(server),
    cuts: () => cuts,
    async close() {
      server.close()
    },
  }
}
