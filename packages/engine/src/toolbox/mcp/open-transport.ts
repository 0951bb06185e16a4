// The way to one MCP server, as its transport says.
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { assertNever, type McpTool } from '@quarterdeck/protocol'
import { type ShutInPlace, spawnShutIn } from '../../isolation/spawn-shut-in.ts'
import { tellingLine } from '../../telling-line.ts'
import { within } from '../../within.ts'
import { typescriptProgram } from '../modules/typescript-program.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import { openInProcess } from './in-process-transport.ts'
import { createStdioTransport } from './stdio-transport.ts'

export interface OpenedTransport {
  readonly transport: Transport
  /** How its process ended, if it has one that did. */
  readonly ended: () => Promise<string | null>
}

export interface TransportPlace extends ShutInPlace {
  /** Absolute folder of the agent file. */
  readonly project: string
  /** Absolute folder the session works in. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly onPrinted: (text: string) => void
}

/** Throws a sentence when there is nothing to connect to. */
export function openTransport({ transport }: McpTool, place: TransportPlace): OpenedTransport {
  switch (transport.type) {
    case 'stdio': {
      const process = spawnShutIn({ ...transport, args: typescriptProgram(transport), env: place.env }, place)
      const ended = process.exit.then(({ how, stderr }) => (stderr === '' ? how : `${how}: ${tellingLine(stderr)}`))
      return { transport: createStdioTransport(process), ended: () => within(ended, endedPatienceMs) }
    }
    case 'http':
      return { transport: overHttp(transport, place.headers), ended: async () => null }
    case 'sse':
      return { transport: overSse(transport, place.headers), ended: async () => null }
    case 'in_process':
      return openInProcess(transport, place)
    default:
      return assertNever(transport)
  }
}

/** The connection may be lost a moment before the process is gone. */
const endedPatienceMs = 1_000
const goodbyePatienceMs = 2_000

interface HttpPlace {
  readonly url: string
  readonly terminateOnClose: boolean
}

function overHttp({ url, terminateOnClose }: HttpPlace, headers: Readonly<Record<string, string>>): Transport {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: createBoundedFetch((error) => transport.onerror?.(error)),
  })
  const close = transport.close.bind(transport)
  // A server that is gone needs no goodbye.
  if (terminateOnClose) {
    transport.close = async () => {
      await within(transport.terminateSession(), goodbyePatienceMs).catch(() => undefined)
      await close()
    }
  }
  return transport as Transport // the SDK's class and interface differ in how they spell optional
}

function overSse({ url }: HttpPlace, headers: Readonly<Record<string, string>>): Transport {
  const transport = new SSEClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: createBoundedFetch((error) => transport.onerror?.(error)),
  })
  return transport
}
