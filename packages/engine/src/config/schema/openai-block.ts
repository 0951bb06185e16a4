// `openai:` as users write it: settings for agents on the in-process loop with another provider than Anthropic.
import { z } from 'zod'

const text = z.string().trim().min(1, 'must not be blank')
const tools = z.array(text).nullish()

export const OpenAiBlock = z.strictObject({
  max_turns: z.int().min(1).nullish().describe('Like `limits.max_turns`; the lower value applies.'),
  max_budget_usd: z.number().positive().nullish().describe('Like `limits.max_budget_usd`; the lower value applies.'),
  effort: z.enum(['low', 'medium', 'high', 'max']).nullish().describe('The effort of the model.'),
  fallback_model: text.nullish().describe('The model to use while the first one is overloaded.'),
  disallowed_tools: tools.describe('The agent never gets these tools, regardless of other settings.'),
  permissions: z
    .strictObject({
      allowed_tools: tools.describe('The agent gets only these tools. Default: every declared tool.'),
      disallowed_tools: tools.describe('As `openai.disallowed_tools`.'),
    })
    .nullish()
    .describe('The tools that the agent gets.'),
})
export type OpenAiBlock = z.infer<typeof OpenAiBlock>
