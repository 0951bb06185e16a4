// What a scripted agent does, step by step. Data, so that a test reads like the turn it describes.
import type { JsonObject } from '@quarterdeck/protocol'

export type Step =
  /** One message of the agent, streamed in these chunks. */
  | { readonly type: 'text'; readonly chunks: readonly string[] }
  | { readonly type: 'thinking'; readonly text: string }
  /** Goes through the gate; what it returns may depend on the input that was let through. */
  | {
      readonly type: 'tool'
      readonly name: string
      readonly input: JsonObject
      readonly result: string | ((input: JsonObject) => string)
      readonly isError?: boolean
      readonly toolUseId?: string
    }
  /** Writes a file as the tool Write does, through the gate; the turn's message becomes a checkpoint. */
  | { readonly type: 'write'; readonly path: string; readonly text: string }
  /** All of them start together: their gates are asked at the same time. */
  | { readonly type: 'parallel'; readonly tools: readonly Extract<Step, { type: 'tool' }>[] }
  | {
      readonly type: 'subagent'
      readonly agentType: string
      readonly description: string
      readonly steps: readonly Step[]
      readonly summary: string
      readonly toolUseId?: string
    }
  /** One model request. Counts against the session's limits of turns and money. */
  | { readonly type: 'usage'; readonly input: number; readonly output: number; readonly costUsd?: number }
  | { readonly type: 'delay'; readonly ms: number }
  /** Says these words and then nothing more, until it is interrupted or crashes. */
  | { readonly type: 'stall'; readonly chunks: readonly string[] }
  | { readonly type: 'retry'; readonly status: number; readonly delayMs: number }
  /** The stream breaks: these words were seen and never become a message. */
  | { readonly type: 'broken_stream'; readonly chunks: readonly string[] }
  | { readonly type: 'compact'; readonly preTokens: number }
  | { readonly type: 'crash' }
  | { readonly type: 'fail'; readonly reason: string }
  | { readonly type: 'limit'; readonly limit: 'turns' | 'budget' | 'time' }

/**
 * The steps of each turn in order, or chosen by what was said; `earlier` are the prompts of this conversation before it,
 * also those of other processes. A turn nobody scripted answers with its own input.
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
