// An MCP server created by a module of the project, in its own worker process.
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { type McpTransport, withTimeout } from '@quarterdeck/protocol'
import { createRunningWorker } from '../modules/running-worker.ts'
import type { OpenedTransport, TransportOptions } from './opened-transport.ts'

/** Throws with a message if the worker cannot be started. */
export function openInProcess(
  { file, functionName }: Extract<McpTransport, { type: 'in_process' }>,
  { onPrinted, headers: _, ...workerOptions }: TransportOptions,
): OpenedTransport {
  let over = (_why: string) => {}
  const ended = new Promise<string>((resolve) => (over = resolve))
  const worker = createRunningWorker(workerOptions, {
    onPrinted,
    onMcp(message) {
      const checked = JSONRPCMessageSchema.safeParse(message)
      if (checked.success) transport.onmessage?.(checked.data)
      else transport.onerror?.(checked.error)
    },
    onEnded(why) {
      over(why)
      transport.onclose?.()
    },
  })
  const transport: Transport = {
    start: () => worker.serve({ file, name: functionName }),
    send: async (message) => worker.sendMcp(message),
    close: () => worker.end('its session has ended'),
  }
  return { transport, ended: () => withTimeout(ended, 1_000) }
}
