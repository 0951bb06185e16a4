// The part of a Messages request that we read. Loose, because the API adds fields faster than we need them.
import { z } from 'zod'

const CacheControl = z.looseObject({ type: z.string() }).nullish()

/** Text, tool_use, tool_result, image and future kinds, with the fields that we read. */
export const ContentBlock = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
  cache_control: CacheControl,
})
export type ContentBlock = z.infer<typeof ContentBlock>

const MessageParam = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(ContentBlock)]),
})
export type MessageParam = z.infer<typeof MessageParam>

export const ToolParam = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  input_schema: z.record(z.string(), z.unknown()).optional(),
  cache_control: CacheControl,
})
export type ToolParam = z.infer<typeof ToolParam>

const promptFields = {
  model: z.string().min(1),
  system: z.union([z.string(), z.array(ContentBlock)]).optional(),
  messages: z.array(MessageParam).min(1),
  tools: z.array(ToolParam).optional(),
  tool_choice: z
    .looseObject({ type: z.string(), name: z.string().optional(), disable_parallel_tool_use: z.boolean().optional() })
    .optional(),
  thinking: z.looseObject({ type: z.string(), display: z.string().optional() }).optional(),
  output_config: z
    .looseObject({ format: z.looseObject({ type: z.string(), schema: z.unknown().optional() }).nullish() })
    .optional(),
}

export const MessagesRequest = z.looseObject({
  ...promptFields,
  max_tokens: z.number().int().positive(),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string()).optional(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).optional(),
})
export type MessagesRequest = z.infer<typeof MessagesRequest>

export const CountTokensRequest = z.looseObject(promptFields)
export type CountTokensRequest = z.infer<typeof CountTokensRequest>

/** Names the problem as the API does: `messages.0.role: …`. */
export const describeRequestProblem = (error: z.ZodError): string =>
  error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; ')
