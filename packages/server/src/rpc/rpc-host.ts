import type { EventSink } from '@quarterdeck/engine'
import type { RpcMethod, SessionId } from '@quarterdeck/protocol'

/** Who answers the calls of one JSON-RPC connection: this process, or a server elsewhere. */
export interface RpcHost {
  /** Resolves with the route's reply. Expected failures are thrown as `QuarterdeckError`. */
  call(method: RpcMethod, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>
  /** As `SessionService.feed`. */
  feed(from: { sessionId: SessionId; after: number; signal: AbortSignal }, sink: EventSink): Promise<void>
}

/** The way out of one connection. */
export interface RpcConnection {
  /** One message, without a line end. False: no more events before `room` resolves. */
  send(text: string): boolean
  drained(): Promise<void>
}
