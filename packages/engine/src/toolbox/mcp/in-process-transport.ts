// A server that a module of the project makes, in a worker of its own.
import { MessageChannel } from 'node:worker_threads'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { McpTransport } from '@quarterdeck/protocol'
import { within } from '../../within.ts'
import { createRunningWorker } from '../modules/running-worker.ts'
import { transportOn } from '../modules/serve-on.ts'
import type { OpenedTransport, TransportPlace } from './open-transport.ts'

export function openInProcess(
  { file, functionName }: Extract<McpTransport, { type: 'in_process' }>,
  { project, path, home, env, onPrinted }: TransportPlace,
): OpenedTransport {
  const { port1, port2 } = new MessageChannel()
  let over = (_why: string) => {}
  const ended = new Promise<string>((resolve) => (over = resolve))
  const worker = createRunningWorker(
    { project, env: { PATH: path, HOME: home, ...env }, onFile: () => undefined, onPrinted },
    (why) => {
      over(why)
      port1.close()
    },
  )
  const transport: Transport = transportOn(port1)
  const { start, close } = transport
  transport.start = async () => {
    await worker.serve({ file, name: functionName }, port2)
    await start()
  }
  transport.close = async () => {
    await close()
    await worker.end('its session has ended')
  }
  // The port may be gone a moment before the worker is.
  return { transport, ended: () => within(ended, 1_000) }
}
