// The SDK's hook points as the loop reaches them, with the SDK's own inputs.
import type { JsonObject, PermissionMode } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { SessionOptions, ToolCall, ToolOutput } from '../../backend.ts'
import type { LoopHookEvent } from '../../hooks/hook-events.ts'
import { type CompleteHookAnswer, objectionOf, readHookAnswer } from '../../hooks/hook-output.ts'

/** What is the same in every input. */
export interface LoopHookContext {
  readonly hooks: SessionOptions['hooks']
  readonly sessionId: string
  readonly cwd: string
  /** Where the conversation is kept. */
  readonly transcript: string
  readonly permissionMode: () => PermissionMode
}

export interface AfterTool {
  /** The result as the model will see it. */
  readonly output: ToolOutput
  /** Why the turn ends with this call, where a hook wants that. */
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
    /** Only what went well can end the turn, as with the Claude CLI (measured): a failure is the model's to answer. */
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
        // The pictures are part of what was replaced.
        output: { ...output, output: [shown, ...added].join('\n\n'), ...(updated !== undefined && { images: [] }) },
        stops: isStop ? hookAnswer.stopReason || anyStop : null,
      }
    },
  }
}

export type HookCalls = ReturnType<typeof createHookCalls>

const anyStop = 'Execution stopped by PostToolUse hook'

/** The content of a result as a server gives it is as good as its text. */
const Texts = z.array(z.looseObject({ type: z.literal('text'), text: z.string() }))

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  const texts = Texts.safeParse(value)
  return texts.success ? texts.data.map(({ text }) => text).join('\n') : JSON.stringify(value)
}
