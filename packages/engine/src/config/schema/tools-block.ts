// `tools:` as users write it, one shape for each type.
import { z } from 'zod'
import { hierarchicalFields, vectorstoreFields } from './search-blocks.ts'
import { booleanSetting, optionalSetting, text } from './setting-schemas.ts'

const name = z
  .string()
  .regex(/^[0-9A-Za-z_]{1,64}$/, 'expected letters, digits and _ (up to 64)')
  .describe('The name of the tool, unique in the agent.')

const common = {
  name,
  description: text.describe('The purpose of the tool and when to use it; shown to the model.'),
  critical: booleanSetting('A failure ends the turn instead of returning to the model. Default: false.'),
  defer_loading: booleanSetting('A field of HoloDeck files. Has no effect and causes a warning.'),
}

const onFailure = optionalSetting(
  z.enum(['error', 'warn']),
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
  env: optionalSetting(Variables, 'Its variables in addition to PATH and HOME: a map, or a list of names.'),
  timeout: optionalSetting(seconds, 'Time limit of one call in seconds. Default: 60.'),
})

export const McpBlock = z.strictObject({
  ...common,
  description: optionalSetting(text, 'The purpose of the server, for readers of the file.'),
  type: z.literal('mcp').describe('Offers the tools of an MCP server.'),
  transport: optionalSetting(
    z.enum(['stdio', 'http', 'sse', 'in_process']),
    'The transport. `in_process` runs a module in a worker process, like functions. Default: `stdio`.',
  ),
  command: optionalSetting(text, 'With `stdio`: the program to start.'),
  args: optionalSetting(
    z.array(z.string()),
    'With `stdio`: its arguments. An argument that starts with `./` or `../` is a path relative to this file.',
  ),
  cwd: optionalSetting(text, 'With `stdio`: its working directory. Default: the folder of this file.'),
  env: optionalSetting(Variables, 'Its variables in addition to PATH and HOME: a map, or a list of names.'),
  env_file: optionalSetting(text, 'A file with further variables; `env` overrides them.'),
  encoding: optionalSetting(z.enum(['utf-8', 'utf8']), 'Only UTF-8 is supported.'),
  url: optionalSetting(text, 'With `http` and `sse`: the address. Plain http is allowed only for this machine.'),
  headers: optionalSetting(z.record(z.string(), z.string()), 'With `http` and `sse`: headers of every request.'),
  file: optionalSetting(text, 'With `in_process`: a TypeScript or JavaScript module.'),
  function: optionalSetting(text, 'With `in_process`: the export that creates the server.'),
  timeout: optionalSetting(seconds, 'Time limit to start or connect, in seconds. Default: 30.'),
  request_timeout: optionalSetting(seconds, 'Time limit of one call in seconds. Default: 60.'),
  terminate_on_close: booleanSetting('With `http`: also ends the session on the server. Default: true.'),
  config: optionalSetting(
    z.record(z.string(), z.unknown()),
    'Settings that the server gets as JSON in the variable MCP_CONFIG.',
  ),
  load_tools: booleanSetting('False hides all tools of the server. Default: true.'),
  load_prompts: booleanSetting('Prompts are not loaded: true causes a warning.'),
  allowed_tools: optionalSetting(
    z.array(text),
    'The agent gets only these tools of the server, by their names on the server.',
  ),
  disallowed_tools: optionalSetting(z.array(text), 'The agent does not get these tools of the server.'),
  is_retrieval: booleanSetting('Its results count as retrieved context in tests.'),
  registry_name: optionalSetting(text, 'The name of the server in a registry, for readers of the file.'),
  on_failure: onFailure,
})
export type McpBlock = z.infer<typeof McpBlock>

const PromptModel = z.strictObject({
  provider: optionalSetting(text, 'The provider of the agent; others are not supported yet.'),
  name: optionalSetting(text, 'The model. Default: that of the agent.'),
  max_tokens: optionalSetting(z.int().positive(), 'Maximum length of the answer, in tokens.'),
  temperature: optionalSetting(z.number().min(0).max(2), 'Sampling temperature. Default: that of the provider.'),
})

const PromptBlock = z.strictObject({
  ...common,
  type: z.literal('prompt').describe('Sends your prompt to a model.'),
  template: optionalSetting(text, 'The prompt; `{{name}}` is replaced with a parameter. Either this or `file`.'),
  file: optionalSetting(text, 'A file with the template.'),
  parameters: Parameters,
  model: optionalSetting(PromptModel, 'The model that answers. Default: that of the agent.'),
})

const ClientBlock = z.strictObject({
  ...common,
  type: z.literal('client').describe('Runs in the client attached to the session.'),
  parameters: Parameters.nullish(),
})

const SkillBlock = z.strictObject({
  ...common,
  description: optionalSetting(text, 'When to read it. Default: the description in SKILL.md.'),
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
