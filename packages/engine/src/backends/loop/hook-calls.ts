// The SDK's hook points as the loop reaches them, with the SDK's own inputs.
import type { JsonObject, PermissionMode } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { SessionOptions, ToolCall, ToolOutput } from '../backend.ts'
import type { LoopHookEvent } from '../raised-hooks.ts'

/** What is the same in every input. */
export interface HookSurroundings {
  readonly hooks: SessionOptions['hooks']
  readonly sessionId: string
  readonly cwd: string
  /** Where the conversation is kept. */
  readonly transcript: string
  readonly permissionMode: () => PermissionMode
}

const Said = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  decision: z.string().optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({ additionalContext: z.string().optional(), updatedMCPToolOutput: z.unknown().optional() })
    .default({}),
})
export type HookSaid = z.infer<typeof Said>

export function createHookCalls(surroundings: HookSurroundings) {
  const { hooks, sessionId, cwd, transcript, permissionMode } = surroundings

  const inputOf = (event: LoopHookEvent, facts: JsonObject): JsonObject => ({
    hook_event_name: event,
    session_id: sessionId,
    transcript_path: transcript,
    cwd,
    permission_mode: permissionMode(),
    ...facts,
  })

  async function raise(event: LoopHookEvent, facts: JsonObject, signal: AbortSignal): Promise<HookSaid> {
    if (!hooks.isHeard(event)) return nothing
    const said = Said.safeParse(await hooks.run(event, inputOf(event, facts), signal))
    return said.success ? said.data : nothing
  }

  const factsOf = ({ toolName, toolInput, toolUseId }: ToolCall): JsonObject => ({
    tool_name: toolName,
    tool_input: toolInput,
    tool_use_id: toolUseId,
  })

  return {
    raise,
    beforeToolInput: (call: ToolCall): JsonObject => inputOf('PreToolUse', factsOf(call)),
    /** The result as the model will see it. */
    async afterTool(call: ToolCall, output: ToolOutput, signal: AbortSignal): Promise<ToolOutput> {
      const event = output.isError ? 'PostToolUseFailure' : 'PostToolUse'
      if (!hooks.isHeard(event)) return output
      const told = output.isError ? { error: output.output } : { tool_response: output.output }
      const said = await raise(event, { ...factsOf(call), ...told }, signal)
      const { additionalContext, updatedMCPToolOutput } = said.hookSpecificOutput
      const shown = updatedMCPToolOutput === undefined ? output.output : asText(updatedMCPToolOutput)
      const objection = said.decision === 'block' ? said.reason : undefined
      const added = [objection, additionalContext].filter((text) => text !== undefined && text !== '')
      return { ...output, output: [shown, ...added].join('\n\n') }
    },
  }
}

export type HookCalls = ReturnType<typeof createHookCalls>

const nothing: HookSaid = { hookSpecificOutput: {} }

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
