// Runs the SDK's hooks in the loop, with the SDK's inputs.
import type { JsonObject, PermissionMode } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { ToolCall, ToolOutput } from '../../../ports/tool-call.ts'
import type { SessionOptions } from '../../backend.ts'
import type { LoopHookEvent } from '../../hooks/engine-hook-events.ts'
import { type CompleteHookAnswer, objectionOf, readHookAnswer } from '../../hooks/hook-output.ts'

/** The fields that all inputs share. */
export interface LoopHookContext {
  readonly hooks: SessionOptions['hooks']
  readonly sessionId: string
  readonly cwd: string
  /** The path of the conversation file. */
  readonly transcript: string
  readonly permissionMode: () => PermissionMode
}

export interface AfterTool {
  /** The result that the model receives. */
  readonly output: ToolOutput
  /** Why the turn ends with this call, if a hook requests it. */
  readonly stops: string | null
}

export function createHookCalls(context: LoopHookContext) {
  const { hooks, sessionId, cwd, transcript, permissionMode } = context

  const inputOf = (event: LoopHookEvent, facts: JsonObject): JsonObject => ({
    hook_event_name: event,
    session_id: sessionId,
    transcript_path: transcript,
    cwd,
    permission_mode: permissionMode(),
    ...facts,
  })

  async function raise(event: LoopHookEvent, facts: JsonObject, signal: AbortSignal): Promise<CompleteHookAnswer> {
    return readHookAnswer(event, hooks.hasListener(event) ? await hooks.run(event, inputOf(event, facts), signal) : {})
  }

  const factsOf = ({ toolName, toolInput, toolUseId }: ToolCall): JsonObject => ({
    tool_name: toolName,
    tool_input: toolInput,
    tool_use_id: toolUseId,
  })

  return {
    raise,
    beforeToolInput: (call: ToolCall): JsonObject => inputOf('PreToolUse', factsOf(call)),
    /** Only a successful call can end the turn, as in the Claude CLI (measured). The model handles a failure. */
    async afterTool(call: ToolCall, output: ToolOutput, signal: AbortSignal): Promise<AfterTool> {
      const event = output.isError ? 'PostToolUseFailure' : 'PostToolUse'
      if (!hooks.hasListener(event)) return { output, stops: null }
      const result = output.isError ? { error: output.output } : { tool_response: output.output }
      const hookAnswer = await raise(event, { ...factsOf(call), ...result }, signal)
      const { additionalContext, updatedToolOutput } = hookAnswer.hookSpecificOutput
      const updated = output.isError ? undefined : updatedToolOutput
      const shown = updated === undefined ? output.output : asText(updated)
      const added = [objectionOf(hookAnswer), additionalContext].filter(Boolean)
      const isStop = hookAnswer.continue === false && !output.isError
      return {
        // Images are part of the replaced result.
        output: { ...output, output: [shown, ...added].join('\n\n'), ...(updated !== undefined && { images: [] }) },
        stops: isStop ? hookAnswer.stopReason || anyStop : null,
      }
    },
  }
}

export type HookCalls = ReturnType<typeof createHookCalls>

const anyStop = 'Execution stopped by PostToolUse hook'

/** Accepts MCP content as well as text. */
const Texts = z.array(z.looseObject({ type: z.literal('text'), text: z.string() }))

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  const texts = Texts.safeParse(value)
  return texts.success ? texts.data.map(({ text }) => text).join('\n') : JSON.stringify(value)
}
