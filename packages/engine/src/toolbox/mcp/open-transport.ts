// Opens the transport of one MCP server.
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { assertNever, type McpTool, type McpTransport, withTimeout } from '@quarterdeck/protocol'
import { firstErrorLine } from '../../isolation/first-error-line.ts'
import { type SandboxedProcess, spawnSandboxed } from '../../isolation/spawn-sandboxed.ts'
import { createRunningWorker } from '../modules/running-worker.ts'
import { typescriptProgram } from '../modules/typescript-program.ts'
import { longestMessage, MessageTooLarge } from './message-too-large.ts'
import type { OpenedTransport, TransportOptions } from './opened-transport.ts'

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

// `fetch` with a size limit, for MCP servers over HTTP.
/** Like `fetch`, but an oversized message breaks off the response and is reported. */
function createBoundedFetch(onTooLarge: (error: MessageTooLarge) => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.body === null) return response
    const { status, statusText, headers } = response
    const isStream = headers.get('content-type')?.includes('text/event-stream') === true
    const body = response.body.pipeThrough(bounded(isStream, onTooLarge))
    const same = new Response(body, { status, statusText, headers })
    Object.defineProperty(same, 'url', { value: response.url })
    return same
  }
}

function bounded(isStream: boolean, onTooLarge: (error: MessageTooLarge) => void) {
  let bytes = 0
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      // A stream may last for days: only data since the last line end counts.
      const lastEnd = isStream ? chunk.lastIndexOf(lineEnd) : -1
      bytes = lastEnd === -1 ? bytes + chunk.length : chunk.length - lastEnd
      if (bytes <= longestMessage) return controller.enqueue(chunk)
      const error = new MessageTooLarge()
      onTooLarge(error)
      controller.error(error)
    },
  })
}

const lineEnd = 10

// An MCP server created by a module of the project, in its own worker process.
/** Throws with a message if the worker cannot be started. */
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
  return { transport, ended: () => withTimeout(ended, 1_000) }
}

// JSON-RPC over a server's standard input and output. The SDK's own transport starts the process itself, with
// undeclared variables.
function createStdioTransport(server: SandboxedProcess): Transport {
  const buffer = new ReadBuffer({ maxBufferSize: longestMessage })
  const transport: Transport = {
    async start() {
      server.output.on('data', (chunk: Buffer) => {
        try {
          buffer.append(chunk)
        } catch {
          // The only error that it can report.
          transport.onerror?.(new MessageTooLarge())
          return void server.end()
        }
        readAll()
      })
      server.output.on('error', (error) => transport.onerror?.(error))
      void server.exit.then(() => transport.onclose?.())
    },
    send: (message) =>
      new Promise((resolve) => {
        if (server.input.write(serializeMessage(message))) resolve()
        else server.input.once('drain', resolve)
      }),
    close: () => server.end(),
  }

  function readAll(): void {
    for (;;) {
      try {
        const message = buffer.readMessage()
        if (message === null) return
        transport.onmessage?.(message)
      } catch (error) {
        // A line that is not a message: some servers print to standard output.
        transport.onerror?.(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }

  return transport
}
