// `test_cases:` as users write it.
import { z } from 'zod'
import { MetricBlock } from './evaluations-block.ts'

const text = z.string().trim().min(1, 'must not be blank')

const FileBlock = z.strictObject({
  path: text.describe('Beside the file that names it.'),
  type: z.enum(['image', 'pdf', 'text', 'excel', 'word', 'powerpoint', 'csv']).describe('What is in it.'),
  description: text.nullish().describe('What the agent is told about it.'),
})

const ExpectedToolBlock = z.union(
  [
    text,
    z.strictObject({
      name: text.describe('A part of the tool’s name.'),
      args: z
        .record(z.string(), z.unknown())
        .nullish()
        .describe('What its arguments must be: a value, `{fuzzy: text}` or `{regex: pattern}`.'),
      count: z.int().min(1).nullish().describe('How often at least; 1 unless said.'),
    }),
  ],
  { error: 'expected the name of a tool, or a map with name, args and count' },
)
export type ExpectedToolBlock = z.infer<typeof ExpectedToolBlock>

const expectations = {
  ground_truth: z.string().nullish().describe('The right answer.'),
  expected_tools: z.array(ExpectedToolBlock).nullish().describe('Tools that must be called, in any order.'),
  files: z.array(FileBlock).max(10).nullish().describe('Files that go with the message.'),
  retrieval_context: z.array(text).nullish().describe('Instead of what search tools return.'),
  evaluations: z.array(MetricBlock).nullish().describe('Instead of the metrics further out.'),
}

export const TurnBlock = z.strictObject({
  input: text.describe('What the person says.'),
  ...expectations,
  turn_config: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe('For code graders, which are not supported yet: warns.'),
})
export type TurnBlock = z.infer<typeof TurnBlock>

export const TestCaseBlock = z.strictObject({
  name: text.nullish().describe('What it is called in reports.'),
  input: text.nullish().describe('One message in a session of its own. Either this or `turns`.'),
  turns: z.array(TurnBlock).min(1).nullish().describe('A conversation in one session.'),
  ...expectations,
})
export type TestCaseBlock = z.infer<typeof TestCaseBlock>
