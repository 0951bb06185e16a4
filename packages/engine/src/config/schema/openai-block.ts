// `openai:` as users write it: what holds for agents on the in-process loop of another provider than Anthropic.
import { z } from 'zod'

const text = z.string().trim().min(1, 'must not be blank')
const tools = z.array(text).nullish()

export const OpenAiBlock = z.strictObject({
  max_turns: z.int().min(1).nullish().describe('As `limits.max_turns`; the lower of the two counts.'),
  max_budget_usd: z.number().positive().nullish().describe('As `limits.max_budget_usd`; the lower of the two counts.'),
  effort: z.enum(['low', 'medium', 'high', 'max']).nullish().describe('How hard the model tries.'),
  fallback_model: text.nullish().describe('The model to use while the first one is overloaded.'),
  disallowed_tools: tools.describe('These tools do not exist, whatever else is said.'),
  permissions: z
    .strictObject({
      allowed_tools: tools.describe('Only these tools exist; without it, every one declared.'),
      disallowed_tools: tools.describe('As `openai.disallowed_tools`.'),
    })
    .nullish()
    .describe('Which tools exist.'),
})
export type OpenAiBlock = z.infer<typeof OpenAiBlock>
