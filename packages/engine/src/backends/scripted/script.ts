// The steps of a scripted agent, as data, so that a test reads like the turn it describes.
import type { JsonObject } from '@quarterdeck/protocol'

export type Step =
  /** One message of the agent, streamed in these chunks. */
  | { readonly type: 'text'; readonly chunks: readonly string[] }
  | { readonly type: 'thinking'; readonly text: string }
  /** Passes the gate. The result may depend on the approved input. */
  | {
      readonly type: 'tool'
      readonly name: string
      readonly input: JsonObject
      readonly result: string | ((input: JsonObject) => string)
      readonly isError?: boolean
      readonly toolUseId?: string
    }
  /** Writes a file like the Write tool, through the gate. The message of the turn becomes a checkpoint. */
  | { readonly type: 'write'; readonly path: string; readonly text: string }
  /** Starts all calls together: the gate is asked for all of them at the same time. */
  | { readonly type: 'parallel'; readonly tools: readonly Extract<Step, { type: 'tool' }>[] }
  | {
      readonly type: 'subagent'
      readonly agentType: string
      readonly description: string
      readonly steps: readonly Step[]
      readonly summary: string
      readonly toolUseId?: string
    }
  /** One model request. Counts against the session's turn limit and budget. */
  | { readonly type: 'usage'; readonly input: number; readonly output: number; readonly costUsd?: number }
  | { readonly type: 'delay'; readonly ms: number }
  /** Sends this text and then stalls until it is interrupted or crashes. */
  | { readonly type: 'stall'; readonly chunks: readonly string[] }
  | { readonly type: 'retry'; readonly status: number; readonly delayMs: number }
  /** The stream breaks: clients see this text, but it never becomes a message. */
  | { readonly type: 'broken_stream'; readonly chunks: readonly string[] }
  | { readonly type: 'compact'; readonly preTokens: number }
  | { readonly type: 'crash' }
  | { readonly type: 'fail'; readonly reason: string }
  | { readonly type: 'limit'; readonly limit: 'turns' | 'budget' | 'time' }

/**
 * The steps of each turn in order, or chosen by the prompt. `earlier` are the earlier prompts of this conversation,
 * including those of other processes. A turn without a script answers with its own input.
 */
export type Script =
  | readonly (readonly Step[])[]
  | ((input: string, turn: number, earlier: readonly string[]) => readonly Step[])

export interface Asked {
  readonly input: string
  readonly turn: number
  readonly earlier: readonly string[]
}

export function stepsOf(script: Script, { input, turn, earlier }: Asked): readonly Step[] {
  const steps = typeof script === 'function' ? script(input, turn, earlier) : script[turn]
  return steps ?? [{ type: 'text', chunks: [`You said: ${input}`] }]
}
