// What is said between a worker and whoever started it. Types only: the worker's side runs on plain Node.
import type { MessagePort } from 'node:worker_threads'

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
      /** The module's own schema is not asked where the agent file has one. */
      readonly checksInput: boolean
    }
  | { readonly type: 'abort'; readonly id: number }
  /** Makes an MCP server of what the export returns and connects it to the port. */
  | { readonly type: 'serve'; readonly id: number; readonly export: Export; readonly port: MessagePort }

export interface RunnerImage {
  readonly mediaType: string
  readonly data: string
}

export type WorkerReply =
  | { readonly type: 'loaded'; readonly id: number; readonly parameters: object | null }
  | {
      readonly type: 'done'
      readonly id: number
      readonly output: string
      readonly isError: boolean
      readonly images: readonly RunnerImage[]
    }
  /** The module cannot be loaded, or does not export what was asked for. */
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
