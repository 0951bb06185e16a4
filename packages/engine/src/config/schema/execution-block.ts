// `execution:` and `tool_filtering:` as users write them.
import { z } from 'zod'

const text = z.string().trim().min(1, 'must not be blank')

export const ExecutionBlock = z.strictObject({
  llm_timeout: z
    .number()
    .positive()
    .max(86_400)
    .nullish()
    .describe(
      'Maximum working time of one turn in seconds. Waiting for people does not count. Default: the limit of the session.',
    ),
  parallel_test_cases: z.int().min(1).max(100).nullish().describe('Test cases that `test` runs at once. Default: 1.'),
  verbose: z.boolean().nullish().describe('`test` shows every metric. Default: false.'),
  quiet: z.boolean().nullish().describe('`test` shows only the summary. Default: false.'),
})
export type ExecutionBlock = z.infer<typeof ExecutionBlock>

/** For the in-process loop; the Claude backend selects tools itself. */
export const ToolFilteringBlock = z.strictObject({
  enabled: z.boolean().nullish().describe('False offers every tool. Default: true.'),
  top_k: z.int().min(1).max(50).nullish().describe('Tools offered for one message. Default: 5.'),
  similarity_threshold: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe('Tools with a lower score are left out. Default: 0.3.'),
  always_include: z.array(text).nullish().describe('Tools that are always offered.'),
  always_include_top_n_used: z
    .int()
    .min(0)
    .nullish()
    .describe('How many of the most used tools are always offered. Default: 3.'),
  search_method: z
    .enum(['semantic', 'bm25', 'hybrid'])
    .nullish()
    .describe('How tools are compared with the message. Default: `bm25`.'),
})
export type ToolFilteringBlock = z.infer<typeof ToolFilteringBlock>
