// Opens the transport of one MCP server.
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { assertNever, type McpTool, type McpTransport, withTimeout } from '@quarterdeck/protocol'
import { firstErrorLine } from '../../isolation/first-error-line.ts'
import { type ProcessSandbox, spawnSandboxed } from '../../isolation/spawn-sandboxed.ts'
import { createRunningWorker } from '../modules/running-worker.ts'
import { typescriptProgram } from '../modules/typescript-program.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import { createStdioTransport } from './stdio-transport.ts'

export interface OpenedTransport {
  readonly transport: Transport
  /** How its process ended, if it has one that has ended. */
  readonly ended: () => Promise<string | null>
}

interface TransportOptions extends ProcessSandbox {
  /** Absolute folder of the agent file. */
  readonly project: string
  /** Absolute working directory of the session. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly onPrinted: (text: string) => void
}

/** Throws with a message if there is nothing to connect to. */
export function openTransport({ transport }: McpTool, options: TransportOptions): OpenedTransport {
  switch (transport.type) {
    case 'stdio': {
      const process = spawnSandboxed({ ...transport, args: typescriptProgram(transport), env: options.env }, options)
      const ended = process.exit.then(({ how, stderr }) => (stderr === '' ? how : `${how}: ${firstErrorLine(stderr)}`))
      return { transport: createStdioTransport(process), ended: () => withTimeout(ended, exitTimeoutMs) }
    }
    case 'http':
      return { transport: overHttp(transport, options.headers), ended: async () => null }
    case 'sse':
      return { transport: overSse(transport, options.headers), ended: async () => null }
    case 'in_process':
      return openInProcess(transport, options)
    default:
      return assertNever(transport)
  }
}

/** The connection may be lost shortly before the process exits. */
const exitTimeoutMs = 1_000
const terminateTimeoutMs = 2_000

interface HttpEndpoint {
  readonly url: string
  readonly terminateOnClose: boolean
}

function overHttp({ url, terminateOnClose }: HttpEndpoint, headers: Readonly<Record<string, string>>): Transport {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: createBoundedFetch((error) => transport.onerror?.(error)),
  })
  const close = transport.close.bind(transport)
  // Errors are ignored: the server may have ended already.
  if (terminateOnClose) {
    transport.close = async () => {
      await withTimeout(transport.terminateSession(), terminateTimeoutMs).catch(() => undefined)
      await close()
    }
  }
  return transport as Transport // the SDK's class and interface differ in their optional properties
}

function overSse({ url }: HttpEndpoint, headers: Readonly<Record<string, string>>): Transport {
  const transport = new SSEClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: createBoundedFetch((error) => transport.onerror?.(error)),
  })
  return transport
}

/** An MCP server created by a module of the project, in its own worker process. Throws if that cannot be started. */
function openInProcess(
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
  return { transport, ended: () => withTimeout(ended, exitTimeoutMs) }
}
