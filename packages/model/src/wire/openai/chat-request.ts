// The part of a Chat Completions request that we read. Loose, because every provider with this wire adds fields of its
// own.
import { z } from 'zod'

/** Text, image_url and future kinds. */
export const ContentPart = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
  image_url: z.looseObject({ url: z.string() }).optional(),
})
export type ContentPart = z.infer<typeof ContentPart>

const ToolCallParam = z.looseObject({
  id: z.string().min(1),
  function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
})
export type ToolCallParam = z.infer<typeof ToolCallParam>

const ChatMessage = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(ContentPart)]).nullish(),
  tool_calls: z.array(ToolCallParam).nullish(),
  tool_call_id: z.string().optional(),
})
export type ChatMessage = z.infer<typeof ChatMessage>

const ChatTool = z.looseObject({
  type: z.string(),
  function: z
    .looseObject({
      name: z.string(),
      description: z.string().optional(),
      parameters: z.record(z.string(), z.unknown()).nullish(),
    })
    .optional(),
})

const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({ type: z.string(), function: z.looseObject({ name: z.string() }).optional() }),
])

const ResponseFormat = z.looseObject({
  type: z.enum(['text', 'json_object', 'json_schema']),
  json_schema: z.looseObject({ name: z.string(), schema: z.unknown().optional() }).optional(),
})

const bound = z.int().positive().nullish()

export const ChatRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(ChatMessage).min(1),
  tools: z.array(ChatTool).optional(),
  tool_choice: ToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: ResponseFormat.nullish(),
  max_tokens: bound,
  max_completion_tokens: bound,
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  reasoning_effort: z.string().nullish(),
  /** Several answers to one prompt are not supported. */
  n: z.literal(1, 'the simulator gives one answer to a request').nullish(),
})
export type ChatRequest = z.infer<typeof ChatRequest>
