import type { EventSink } from '@quarterdeck/engine'
import type { RpcMethod, SessionId } from '@quarterdeck/protocol'

/** Answers the calls of one JSON-RPC connection: this process, or a remote server. */
export interface RpcHost {
  /** Resolves with the reply of the route. Throws expected failures as `QuarterdeckError`. */
  call(method: RpcMethod, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>
  /** As `SessionService.feed`. */
  feed(from: { sessionId: SessionId; after: number; signal: AbortSignal }, sink: EventSink): Promise<void>
}

/** The outgoing side of one connection. */
export interface RpcConnection {
  /** Sends one message without a line end. False: no more events before `drained` resolves. */
  send(text: string): boolean
  /** Resolves when there is capacity, or when the connection is closed. Never rejects. */
  drained(): Promise<void>
}
