// `tools:` as users write it, one shape for each type.
import { z } from 'zod'
import { hierarchicalFields, vectorstoreFields } from './search-blocks.ts'

const text = z.string().trim().min(1, 'must not be blank')

const name = z
  .string()
  .regex(/^[0-9A-Za-z_]{1,64}$/, 'expected letters, digits and _ (up to 64)')
  .describe('What it is called; no two tools share a name.')

const common = {
  name,
  description: text.describe('What it does and when to use it: the model reads this.'),
  critical: z
    .boolean()
    .nullish()
    .describe('A failure ends the turn instead of going back to the model. Off unless true.'),
  defer_loading: z.boolean().nullish().describe('A field of HoloDeck’s files. No effect: warns.'),
}

const onFailure = z
  .enum(['error', 'warn'])
  .nullish()
  .describe(
    '`warn` leaves out a tool that cannot start, and says so; `error`, which ends the session’s start, unless said.',
  )

const seconds = z.number().positive().max(86_400)

const VariableValue = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected a text, a number, true or false',
})

/** `{NAME: value}`, or a list of variables to hand on as they are. */
export const Variables = z.union([z.record(z.string(), VariableValue), z.array(text)], {
  error: 'expected a map of variables or a list of their names',
})

const Parameters = z
  .record(z.string(), z.unknown())
  .describe('JSON Schema of its input, or a map of names to the schema of each.')

const FunctionBlock = z.strictObject({
  ...common,
  type: z.literal('function').describe('Runs a function of yours.'),
  file: text.describe('A TypeScript or JavaScript module.'),
  function: text.describe('The export that is called.'),
  parameters: Parameters.nullish(),
  env: Variables.nullish().describe('The variables it sees beside PATH and HOME: a map, or a list of names.'),
  timeout: seconds.nullish().describe('Seconds one call may take; 60 unless said.'),
})

export const McpBlock = z.strictObject({
  ...common,
  description: text.nullish().describe('What the server is for: for readers of the file.'),
  type: z.literal('mcp').describe('The tools of an MCP server.'),
  transport: z
    .enum(['stdio', 'http', 'sse', 'in_process'])
    .nullish()
    .describe(
      'How the server is reached. The default is `stdio`. `in_process` runs a module in a worker process, as functions do.',
    ),
  command: text.nullish().describe('With `stdio`: the program to start.'),
  args: z
    .array(z.string())
    .nullish()
    .describe('With `stdio`: its arguments. One that begins with `./` or `../` is a path beside this file.'),
  cwd: text.nullish().describe('With `stdio`: where it runs; the folder of this file unless said.'),
  env: Variables.nullish().describe('The variables it sees beside PATH and HOME: a map, or a list of names.'),
  env_file: text.nullish().describe('A file with more of them; `env` wins.'),
  encoding: z.enum(['utf-8', 'utf8']).nullish().describe('UTF-8 is the only one.'),
  url: text.nullish().describe('With `http` and `sse`: the address; unencrypted on this machine only.'),
  headers: z.record(z.string(), z.string()).nullish().describe('With `http` and `sse`: sent with every request.'),
  file: text.nullish().describe('With `in_process`: a TypeScript or JavaScript module.'),
  function: text.nullish().describe('With `in_process`: the export that makes the server.'),
  timeout: seconds.nullish().describe('Seconds it may take to start or connect; 30 unless said.'),
  request_timeout: seconds.nullish().describe('Seconds one call may take; 60 unless said.'),
  terminate_on_close: z
    .boolean()
    .nullish()
    .describe('With `http`: ends the server’s side of the session too; true unless said.'),
  config: z.record(z.string(), z.unknown()).nullish().describe('Handed over as JSON in the variable MCP_CONFIG.'),
  load_tools: z.boolean().nullish().describe('False offers none of its tools.'),
  load_prompts: z.boolean().nullish().describe('Its prompts are not loaded: true warns.'),
  allowed_tools: z.array(text).nullish().describe('Only these of its tools exist, by the server’s own names.'),
  disallowed_tools: z.array(text).nullish().describe('These of its tools do not exist.'),
  is_retrieval: z.boolean().nullish().describe('What it returns counts as retrieved context in tests.'),
  registry_name: text.nullish().describe('Where it was found: for readers of the file.'),
  on_failure: onFailure,
})
export type McpBlock = z.infer<typeof McpBlock>

const PromptModel = z.strictObject({
  provider: text.nullish().describe('The agent’s own: another is not supported yet.'),
  name: text.nullish().describe('The model; the agent’s own unless said.'),
  max_tokens: z.int().positive().nullish().describe('The longest answer, in tokens.'),
  temperature: z.number().min(0).max(2).nullish().describe('How freely it answers; the provider’s own unless said.'),
})

const PromptBlock = z.strictObject({
  ...common,
  type: z.literal('prompt').describe('Asks a model a question of yours.'),
  template: text
    .nullish()
    .describe('What the model is asked; `{{name}}` stands for a parameter. Either this or `file`.'),
  file: text.nullish().describe('A file with the template.'),
  parameters: Parameters,
  model: PromptModel.nullish().describe('Who answers; the agent’s own model unless said.'),
})

const ClientBlock = z.strictObject({
  ...common,
  type: z.literal('client').describe('Run by the client that is attached to the session.'),
  parameters: Parameters.nullish(),
})

const SkillBlock = z.strictObject({
  ...common,
  description: text.nullish().describe('When to read it; from SKILL.md unless said.'),
  type: z.literal('skill').describe('Instructions the model reads when it needs them.'),
  folder: text.describe('A folder with SKILL.md.'),
})

const VectorstoreBlock = z.strictObject({
  ...common,
  type: z.literal('vectorstore').describe('Searches documents or records by meaning.'),
  ...vectorstoreFields,
  on_failure: onFailure,
})
export type VectorstoreBlock = z.infer<typeof VectorstoreBlock>

const HierarchicalBlock = z.strictObject({
  ...common,
  type: z
    .literal('hierarchical_document')
    .describe('Searches documents by meaning, words and phrases, and knows their structure.'),
  ...hierarchicalFields,
  on_failure: onFailure,
})
export type HierarchicalBlock = z.infer<typeof HierarchicalBlock>

export const ToolBlock = z.discriminatedUnion('type', [
  FunctionBlock,
  McpBlock,
  PromptBlock,
  ClientBlock,
  SkillBlock,
  VectorstoreBlock,
  HierarchicalBlock,
])
export type ToolBlock = z.infer<typeof ToolBlock>
export type ToolBlockOf<Type extends ToolBlock['type']> = Extract<ToolBlock, { type: Type }>
