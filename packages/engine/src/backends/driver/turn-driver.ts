import type { InputImage, UserMessageId } from '@quarterdeck/protocol'
import type { AgentSession, BackendEvent } from '../backend.ts'

/** A message of a turn. */
export interface TurnPrompt {
  readonly text: string
  readonly images: readonly InputImage[]
  readonly messageId: UserMessageId | null
}

/** The runtime of an adapter. Never called for two turns at once, and never after `close`. */
export interface TurnDriver {
  /**
   * The events of one turn. Ends with `TurnEnded`, even after an interrupt. An error that it throws becomes a failed
   * turn.
   */
  turn(input: string, messageId: UserMessageId | null, images?: readonly InputImage[]): AsyncIterable<BackendEvent>
  /**
   * Asks the running turn to end soon. `because` is set if a person did not interrupt it: the conversation must then
   * not mention an interruption.
   */
  interrupt(because?: string): Promise<void>
  setModel: AgentSession['setModel']
  setPermissionMode: AgentSession['setPermissionMode']
  /** Called only between turns. Omitted if there is nothing to start. */
  warm?: AgentSession['warm']
  /** Called only while a turn runs. Omitted if turns accept no messages. */
  steer?: AgentSession['steer']
  setThinking?: AgentSession['setThinking']
  capabilities?: AgentSession['capabilities']
  /** Called only between turns. Omitted if the backend keeps no earlier versions of files. */
  rewindFiles?: AgentSession['rewindFiles']
  load?: AgentSession['load']
  /** Ends the process and all its child processes. */
  close(): Promise<void>
}
