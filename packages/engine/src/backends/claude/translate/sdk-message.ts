// The fields of SDK messages that are read. Loose: providers add fields, and a message that does not match is kept raw
// rather than dropped.
import { z } from 'zod'

const parent = z
  .string()
  .nullish()
  .transform((id) => id ?? null)

export const ApiUsage = z.looseObject({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
})
export type ApiUsage = z.infer<typeof ApiUsage>

export const StreamMessage = z.looseObject({
  type: z.literal('stream_event'),
  parent_tool_use_id: parent,
  event: z.looseObject({
    type: z.string(),
    index: z.number().optional(),
    message: z.looseObject({ id: z.string(), model: z.string(), usage: ApiUsage.nullish() }).optional(),
    content_block: z.looseObject({ type: z.string() }).optional(),
    delta: z
      .looseObject({ type: z.string().optional(), text: z.string().optional(), thinking: z.string().optional() })
      .optional(),
    usage: ApiUsage.nullish(),
  }),
})
export type StreamMessage = z.infer<typeof StreamMessage>

export const SdkContentBlock = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
})
export type SdkContentBlock = z.infer<typeof SdkContentBlock>

export const SdkAssistantMessage = z.looseObject({
  type: z.literal('assistant'),
  parent_tool_use_id: parent,
  error: z.string().nullish(),
  message: z.looseObject({
    id: z.string(),
    model: z.string(),
    content: z.array(SdkContentBlock),
    stop_reason: z.string().nullish(),
    usage: ApiUsage.nullish(),
  }),
})
export type SdkAssistantMessage = z.infer<typeof SdkAssistantMessage>

const ResultPart = z.looseObject({ type: z.string(), text: z.string().optional() })

export const UserBlock = z.looseObject({
  type: z.string(),
  tool_use_id: z.string().optional(),
  content: z.union([z.string(), z.array(ResultPart)]).nullish(),
  is_error: z.boolean().nullish(),
})
export type UserBlock = z.infer<typeof UserBlock>

export const UserMessage = z.looseObject({
  type: z.literal('user'),
  parent_tool_use_id: parent,
  isReplay: z.boolean().optional(),
  message: z.looseObject({ content: z.union([z.string(), z.array(UserBlock)]) }),
  /**
   * `non_execution_kind`: why a result is not the tool's own, for example because the call was refused or interrupted.
   */
  tool_result_meta: z
    .array(z.looseObject({ id: z.string(), non_execution_kind: z.string().optional() }))
    .optional()
    .catch(undefined),
})
export type UserMessage = z.infer<typeof UserMessage>

export const InitMessage = z.looseObject({
  session_id: z.string(),
  cwd: z.string(),
  tools: z.array(z.string()),
  mcp_servers: z.array(z.looseObject({ name: z.string(), status: z.string() })),
  model: z.string(),
  slash_commands: z.array(z.string()),
  apiKeySource: z.string(),
  output_style: z.string(),
})
export type InitMessage = z.infer<typeof InitMessage>

export const RetryMessage = z.looseObject({
  attempt: z.int(),
  max_retries: z.int(),
  retry_delay_ms: z.number(),
  error_status: z.int().nullable(),
  error: z.string(),
})

export const FallbackMessage = z.looseObject({
  original_model: z.string(),
  fallback_model: z.string(),
  trigger: z.string().optional(),
  scope: z.string().optional(),
  content: z.string().optional(),
})

export const CompactMessage = z.looseObject({
  compact_metadata: z.looseObject({ trigger: z.string(), pre_tokens: z.number() }),
})

/** A prompt that a hook refused; no model request is made. */
export const RefusedPrompt = z.looseObject({
  prompt_submit_outcome: z.looseObject({
    kind: z.enum(['blocked_by_hook', 'stopped_by_hook']),
    reason: z.string().optional(),
  }),
})

export const TaskStarted = z.looseObject({
  task_id: z.string(),
  tool_use_id: z.string(),
  task_type: z.string().optional(),
  description: z.string(),
  subagent_type: z.string().optional(),
  parent_task_id: z.string().optional(),
})

export const TaskNotification = z.looseObject({ task_id: z.string(), status: z.string(), summary: z.string() })

export const SdkModelUsage = z.record(z.string(), z.looseObject({ inputTokens: z.number(), outputTokens: z.number() }))
export type SdkModelUsage = z.infer<typeof SdkModelUsage>

/** The CLI's answer to a query for the usage of the session. */
export const SessionUsage = z.looseObject({
  session: z.looseObject({ model_usage: SdkModelUsage, total_cost_usd: z.number(), total_api_duration_ms: z.number() }),
})

export const ResultMessage = z.looseObject({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean(),
  num_turns: z.int(),
  duration_ms: z.number(),
  duration_api_ms: z.number(),
  total_cost_usd: z.number(),
  modelUsage: SdkModelUsage,
  permission_denials: z.array(z.looseObject({})),
  result: z.string().optional(),
  errors: z.array(z.string()).optional(),
  structured_output: z.unknown().optional(),
  terminal_reason: z.string().optional(),
})
export type ResultMessage = z.infer<typeof ResultMessage>

/** The delivery state of a message: queued, started, completed, cancelled. */
export const CommandLifecycle = z.looseObject({
  type: z.literal('command_lifecycle'),
  command_uuid: z.string(),
  state: z.string(),
})

/** The fields of every message. The handler of its type reads the others. */
export const AnyMessage = z.looseObject({ type: z.string(), subtype: z.string().optional() })
export type AnyMessage = z.infer<typeof AnyMessage>
