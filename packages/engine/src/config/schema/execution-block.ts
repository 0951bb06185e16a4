// `execution:` and `tool_filtering:` as users write them.
import { z } from 'zod'
import { booleanSetting, optionalSetting, text } from './setting-schemas.ts'

export const ExecutionBlock = z.strictObject({
  llm_timeout: optionalSetting(
    z.number().positive().max(86_400),
    'Maximum working time of one turn in seconds. Waiting for people does not count. Default: the limit of the session.',
  ),
  parallel_test_cases: optionalSetting(z.int().min(1).max(100), 'Test cases that `test` runs at once. Default: 1.'),
  verbose: booleanSetting('`test` shows every metric. Default: false.'),
  quiet: booleanSetting('`test` shows only the summary. Default: false.'),
})

/** For the in-process loop; the Claude backend selects tools itself. */
export const ToolFilteringBlock = z.strictObject({
  enabled: booleanSetting('False offers every tool. Default: true.'),
  top_k: optionalSetting(z.int().min(1).max(50), 'Tools offered for one message. Default: 5.'),
  similarity_threshold: optionalSetting(
    z.number().min(0).max(1),
    'Tools with a lower score are left out. Default: 0.3.',
  ),
  always_include: optionalSetting(z.array(text), 'Tools that are always offered.'),
  always_include_top_n_used: optionalSetting(
    z.int().min(0),
    'How many of the most used tools are always offered. Default: 3.',
  ),
  search_method: optionalSetting(
    z.enum(['semantic', 'bm25', 'hybrid']),
    'How tools are compared with the message. Default: `bm25`.',
  ),
})
