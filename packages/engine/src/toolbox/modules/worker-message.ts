// The messages between the server and a worker process: one JSON value per line, in both directions. The worker imports
// only types from here, because it runs on plain Node, even from the sources. The server validates every line with
// `WorkerReply`, because code of the agent can write to the same channel.
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

export interface Export {
  /** Absolute path of the module. */
  readonly file: string
  readonly name: string
}

export interface CallContext {
  readonly sessionId: string
  readonly cwd: string
}

export type WorkerRequest =
  | { readonly type: 'load'; readonly id: number; readonly export: Export }
  | {
      readonly type: 'call'
      readonly id: number
      readonly export: Export
      readonly input: object
      readonly context: CallContext
      /** False if the agent file has a schema, which is used instead of the module's own. */
      readonly checksInput: boolean
    }
  | { readonly type: 'abort'; readonly id: number }
  /** Connects the MCP server that the export returns: from then on `mcp` messages go both ways. */
  | { readonly type: 'serve'; readonly id: number; readonly export: Export }
  | { readonly type: 'mcp'; readonly message: JSONRPCMessage }

const RunnerImage = z.strictObject({ mediaType: z.string(), data: z.string() })
export type RunnerImage = z.infer<typeof RunnerImage>

const id = z.int().positive()

export const WorkerReply = z.discriminatedUnion('type', [
  /** Sent once, before any code of the agent is loaded. */
  z.strictObject({ type: z.literal('ready') }),
  /** A file of the project was read. */
  z.strictObject({ type: z.literal('file'), path: z.string().startsWith('/').max(4096) }),
  z.strictObject({ type: z.literal('loaded'), id, parameters: z.looseObject({}).nullable() }),
  z.strictObject({
    type: z.literal('done'),
    id,
    output: z.string(),
    isError: z.boolean(),
    images: z.array(RunnerImage).readonly(),
  }),
  /** The module cannot be loaded, or does not have the requested export. */
  z.strictObject({ type: z.literal('failed'), id, message: z.string() }),
  z.strictObject({ type: z.literal('mcp'), message: z.unknown() }),
  /** An uncaught error. The worker ends itself after it. */
  z.strictObject({ type: z.literal('crashed'), why: z.string() }),
])
export type WorkerReply = z.infer<typeof WorkerReply>
