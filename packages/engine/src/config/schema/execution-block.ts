// `execution:` and `tool_filtering:` as users write them.
import { z } from 'zod'

const text = z.string().trim().min(1, 'must not be blank')

export const ExecutionBlock = z.strictObject({
  llm_timeout: z
    .number()
    .positive()
    .max(86_400)
    .nullish()
    .describe('Seconds one turn may work; waiting for people does not count. As long as the session may, unless said.'),
  parallel_test_cases: z
    .int()
    .min(1)
    .max(100)
    .nullish()
    .describe('Test cases that `test` runs at once; 1 unless said.'),
  verbose: z.boolean().nullish().describe('`test` shows every metric. Off unless true.'),
  quiet: z.boolean().nullish().describe('`test` shows the summary only. Off unless true.'),
})
export type ExecutionBlock = z.infer<typeof ExecutionBlock>

/** On the in-process loop; the Claude backend chooses among tools by itself. */
export const ToolFilteringBlock = z.strictObject({
  enabled: z.boolean().nullish().describe('False offers every tool; true unless said.'),
  top_k: z.int().min(1).max(50).nullish().describe('Tools offered for one message; 5 unless said.'),
  similarity_threshold: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe('Tools that fit less are left out; 0.3 unless said.'),
  always_include: z.array(text).nullish().describe('Tools that are always offered.'),
  always_include_top_n_used: z
    .int()
    .min(0)
    .nullish()
    .describe('Most used tools that are always offered; 3 unless said.'),
  search_method: z
    .enum(['semantic', 'bm25', 'hybrid'])
    .nullish()
    .describe('How tools are compared with the message; `bm25` unless said.'),
})
export type ToolFilteringBlock = z.infer<typeof ToolFilteringBlock>
