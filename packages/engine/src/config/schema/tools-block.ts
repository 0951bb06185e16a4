// `tools:` as users write it, one shape for each type.
import { z } from 'zod'
import { hierarchicalFields, vectorstoreFields } from './search-blocks.ts'

const text = z.string().trim().min(1, 'must not be blank')

const name = z
  .string()
  .regex(/^[0-9A-Za-z_]{1,64}$/, 'expected letters, digits and _ (up to 64)')
  .describe('The name of the tool, unique in the agent.')

const common = {
  name,
  description: text.describe('The purpose of the tool and when to use it; shown to the model.'),
  critical: z
    .boolean()
    .nullish()
    .describe('A failure ends the turn instead of returning to the model. Default: false.'),
  defer_loading: z.boolean().nullish().describe('A field of HoloDeck files. Has no effect and causes a warning.'),
}

const onFailure = z
  .enum(['error', 'warn'])
  .nullish()
  .describe(
    'If the tool cannot start, `warn` leaves it out with a warning and `error` stops the session from starting. Default: `error`.',
  )

const seconds = z.number().positive().max(86_400)

const VariableValue = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected a text, a number, true or false',
})

/** `{NAME: value}`, or a list of variables to pass on. */
export const Variables = z.union([z.record(z.string(), VariableValue), z.array(text)], {
  error: 'expected a map of variables or a list of their names',
})

const Parameters = z
  .record(z.string(), z.unknown())
  .describe('JSON Schema of its input, or a map of parameter names to schemas.')

const FunctionBlock = z.strictObject({
  ...common,
  type: z.literal('function').describe('Calls a function of your project.'),
  file: text.describe('A TypeScript or JavaScript module.'),
  function: text.describe('The exported function.'),
  parameters: Parameters.nullish(),
  env: Variables.nullish().describe('Its variables in addition to PATH and HOME: a map, or a list of names.'),
  timeout: seconds.nullish().describe('Time limit of one call in seconds. Default: 60.'),
})

export const McpBlock = z.strictObject({
  ...common,
  description: text.nullish().describe('The purpose of the server, for readers of the file.'),
  type: z.literal('mcp').describe('Offers the tools of an MCP server.'),
  transport: z
    .enum(['stdio', 'http', 'sse', 'in_process'])
    .nullish()
    .describe('The transport. `in_process` runs a module in a worker process, like functions. Default: `stdio`.'),
  command: text.nullish().describe('With `stdio`: the program to start.'),
  args: z
    .array(z.string())
    .nullish()
    .describe(
      'With `stdio`: its arguments. An argument that starts with `./` or `../` is a path relative to this file.',
    ),
  cwd: text.nullish().describe('With `stdio`: its working directory. Default: the folder of this file.'),
  env: Variables.nullish().describe('Its variables in addition to PATH and HOME: a map, or a list of names.'),
  env_file: text.nullish().describe('A file with further variables; `env` overrides them.'),
  encoding: z.enum(['utf-8', 'utf8']).nullish().describe('Only UTF-8 is supported.'),
  url: text.nullish().describe('With `http` and `sse`: the address. Plain http is allowed only for this machine.'),
  headers: z.record(z.string(), z.string()).nullish().describe('With `http` and `sse`: headers of every request.'),
  file: text.nullish().describe('With `in_process`: a TypeScript or JavaScript module.'),
  function: text.nullish().describe('With `in_process`: the export that creates the server.'),
  timeout: seconds.nullish().describe('Time limit to start or connect, in seconds. Default: 30.'),
  request_timeout: seconds.nullish().describe('Time limit of one call in seconds. Default: 60.'),
  terminate_on_close: z
    .boolean()
    .nullish()
    .describe('With `http`: also ends the session on the server. Default: true.'),
  config: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe('Settings that the server gets as JSON in the variable MCP_CONFIG.'),
  load_tools: z.boolean().nullish().describe('False hides all tools of the server. Default: true.'),
  load_prompts: z.boolean().nullish().describe('Prompts are not loaded: true causes a warning.'),
  allowed_tools: z
    .array(text)
    .nullish()
    .describe('The agent gets only these tools of the server, by their names on the server.'),
  disallowed_tools: z.array(text).nullish().describe('The agent does not get these tools of the server.'),
  is_retrieval: z.boolean().nullish().describe('Its results count as retrieved context in tests.'),
  registry_name: text.nullish().describe('The name of the server in a registry, for readers of the file.'),
  on_failure: onFailure,
})
export type McpBlock = z.infer<typeof McpBlock>

const PromptModel = z.strictObject({
  provider: text.nullish().describe('The provider of the agent; others are not supported yet.'),
  name: text.nullish().describe('The model. Default: that of the agent.'),
  max_tokens: z.int().positive().nullish().describe('Maximum length of the answer, in tokens.'),
  temperature: z.number().min(0).max(2).nullish().describe('Sampling temperature. Default: that of the provider.'),
})

const PromptBlock = z.strictObject({
  ...common,
  type: z.literal('prompt').describe('Sends your prompt to a model.'),
  template: text.nullish().describe('The prompt; `{{name}}` is replaced with a parameter. Either this or `file`.'),
  file: text.nullish().describe('A file with the template.'),
  parameters: Parameters,
  model: PromptModel.nullish().describe('The model that answers. Default: that of the agent.'),
})

const ClientBlock = z.strictObject({
  ...common,
  type: z.literal('client').describe('Runs in the client attached to the session.'),
  parameters: Parameters.nullish(),
})

const SkillBlock = z.strictObject({
  ...common,
  description: text.nullish().describe('When to read it. Default: the description in SKILL.md.'),
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
    .describe('Searches documents by meaning, words and phrases, and uses their structure.'),
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
