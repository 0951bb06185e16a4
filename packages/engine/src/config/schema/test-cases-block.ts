// `test_cases:` as users write it.
import { z } from 'zod'
import { MetricBlock } from './evaluations-block.ts'

const text = z.string().trim().min(1, 'must not be blank')

const FileBlock = z.strictObject({
  path: text.describe('The path, relative to the file that contains it.'),
  type: z.enum(['image', 'pdf', 'text', 'excel', 'word', 'powerpoint', 'csv']).describe('The type of the file.'),
  description: text.nullish().describe('A description of the file for the agent.'),
})

const ExpectedToolBlock = z.union(
  [
    text,
    z.strictObject({
      name: text.describe('A part of the name of the tool.'),
      args: z
        .record(z.string(), z.unknown())
        .nullish()
        .describe('Its expected arguments: a value, `{fuzzy: text}` or `{regex: pattern}`.'),
      count: z.int().min(1).nullish().describe('Minimum number of calls. Default: 1.'),
    }),
  ],
  { error: 'expected the name of a tool, or a map with name, args and count' },
)
export type ExpectedToolBlock = z.infer<typeof ExpectedToolBlock>

const expectations = {
  ground_truth: z.string().nullish().describe('The expected answer.'),
  expected_tools: z.array(ExpectedToolBlock).nullish().describe('Tools that must be called, in any order.'),
  files: z.array(FileBlock).max(10).nullish().describe('Files attached to the message.'),
  retrieval_context: z.array(text).nullish().describe('Replaces the results of search tools.'),
  evaluations: z.array(MetricBlock).nullish().describe('Replaces the metrics of the case or the agent.'),
}

export const TurnBlock = z.strictObject({
  input: text.describe('The message of the user.'),
  ...expectations,
  turn_config: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe('Settings for code graders, which are not supported yet. Causes a warning.'),
})
export type TurnBlock = z.infer<typeof TurnBlock>

export const TestCaseBlock = z.strictObject({
  name: text.nullish().describe('The name in reports.'),
  input: text.nullish().describe('One message in its own session. Either this or `turns`.'),
  turns: z.array(TurnBlock).min(1).nullish().describe('A conversation in one session.'),
  ...expectations,
})
export type TestCaseBlock = z.infer<typeof TestCaseBlock>
