import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { ProcessSandbox } from '../../isolation/spawn-sandboxed.ts'

export interface OpenedTransport {
  readonly transport: Transport
  /** How its process ended, if it has one that has ended. */
  readonly ended: () => Promise<string | null>
}

export interface TransportOptions extends ProcessSandbox {
  /** Absolute folder of the agent file. */
  readonly project: string
  /** Absolute working directory of the session. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly onPrinted: (text: string) => void
}
