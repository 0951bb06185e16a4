// `test_cases:` as users write it.
import { z } from 'zod'
import { MetricBlock } from './evaluations-block.ts'
import { optionalSetting, text } from './setting-schemas.ts'

const FileBlock = z.strictObject({
  path: text.describe('The path, relative to the file that contains it.'),
  type: z.enum(['image', 'pdf', 'text', 'excel', 'word', 'powerpoint', 'csv']).describe('The type of the file.'),
  description: optionalSetting(text, 'A description of the file for the agent.'),
})

const ExpectedToolBlock = z.union(
  [
    text,
    z.strictObject({
      name: text.describe('A part of the name of the tool.'),
      args: optionalSetting(
        z.record(z.string(), z.unknown()),
        'Its expected arguments: a value, `{fuzzy: text}` or `{regex: pattern}`.',
      ),
      count: optionalSetting(z.int().min(1), 'Minimum number of calls. Default: 1.'),
    }),
  ],
  { error: 'expected the name of a tool, or a map with name, args and count' },
)
export type ExpectedToolBlock = z.infer<typeof ExpectedToolBlock>

const expectations = {
  ground_truth: optionalSetting(z.string(), 'The expected answer.'),
  expected_tools: optionalSetting(z.array(ExpectedToolBlock), 'Tools that must be called, in any order.'),
  files: optionalSetting(z.array(FileBlock).max(10), 'Files attached to the message.'),
  retrieval_context: optionalSetting(z.array(text), 'Replaces the results of search tools.'),
  evaluations: optionalSetting(z.array(MetricBlock), 'Replaces the metrics of the case or the agent.'),
}

export const TurnBlock = z.strictObject({
  input: text.describe('The message of the user.'),
  ...expectations,
  turn_config: optionalSetting(
    z.record(z.string(), z.unknown()),
    'Settings for code graders, which are not supported yet. Causes a warning.',
  ),
})
export type TurnBlock = z.infer<typeof TurnBlock>

export const TestCaseBlock = z.strictObject({
  name: optionalSetting(text, 'The name in reports.'),
  input: optionalSetting(text, 'One message in its own session. Either this or `turns`.'),
  turns: optionalSetting(z.array(TurnBlock).min(1), 'A conversation in one session.'),
  ...expectations,
})
export type TestCaseBlock = z.infer<typeof TestCaseBlock>
