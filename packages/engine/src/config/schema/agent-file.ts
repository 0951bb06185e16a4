// The agent file as users write it: strict, snake_case. Every setting is enforced or warns; settings planned for later
// are refused by name in unsupported.ts.
import { AgentName, BackendName } from '@quarterdeck/protocol'
import { z } from 'zod'
import { ClaudeBlock } from './claude-block.ts'
import { EvaluationsBlock } from './evaluations-block.ts'
import { ExecutionBlock, ToolFilteringBlock } from './execution-block.ts'
import { HookBlock } from './hooks-block.ts'
import { EmbeddingBlock, ModelBlock } from './model-block.ts'
import { ObservabilityBlock } from './observability-block.ts'
import { OpenAiBlock } from './openai-block.ts'
import { TestCaseBlock } from './test-cases-block.ts'
import { ToolBlock } from './tools-block.ts'

const text = z.string().trim().min(1, 'must not be blank')

export const ModelSourceSetting = z.enum(['provider', 'simulator', 'auto'])
export type ModelSourceSetting = z.infer<typeof ModelSourceSetting>

/** `on` is text in YAML 1.2 and a boolean for tools that read YAML 1.1. */
export const GatewaySetting = z.union([z.enum(['on', 'off']), z.boolean()], { error: 'expected on or off' })
export type GatewaySetting = z.infer<typeof GatewaySetting>

const InstructionsBlock = z.strictObject({
  inline: text.nullish().describe('The text of the instructions.'),
  file: text.nullish().describe('A file with the instructions, relative to this file.'),
  preset: z.literal('claude_code').nullish().describe('The system prompt of Claude Code.'),
  append: z.string().nullish().describe('Text appended to the preset.'),
})

const LimitsBlock = z.strictObject({
  max_turns: z.int().min(1).nullish().describe('Model turns for one message. Default: 50.'),
  max_budget_usd: z.number().positive().nullish().describe('Dollars for one session. Default: 5.'),
  max_duration: text
    .nullish()
    .describe('Working time of one session, such as `90s`, `30m` or `1h`, at most `24d`. Default: `1h`.'),
  units_per_day: z
    .int()
    .positive()
    .nullish()
    .describe(
      'Units (tokens times the multiplier of the tier) that all sessions of the agent together may use in one UTC day. Default: no limit.',
    ),
})

const ApprovalsBlock = z.strictObject({
  allow: z.array(text).nullish().describe('Calls without approval: `Tool` or `Tool(pattern)`; `*` matches any text.'),
  deny: z.array(text).nullish().describe('Rules for calls that are always denied.'),
  expires_after: text
    .nullish()
    .describe('How long an approval or a question waits before it expires, at most `24d`. Default: `never`.'),
})

export const AgentFile = z.strictObject({
  name: AgentName.describe('The name: letters, digits, `_` and `-`, starting with a letter, at most 64 characters.'),
  description: text.nullish().describe('One line shown to users.'),
  author: text.max(256).nullish().describe('The author, for readers of the file. Not shown anywhere.'),
  model: ModelBlock.describe('The model and how to reach it.'),
  instructions: InstructionsBlock.describe('The instructions of the agent: exactly one of `inline`, `file`, `preset`.'),
  claude: ClaudeBlock.nullish().describe('The capabilities on the Claude backend. Everything is off until enabled.'),
  limits: LimitsBlock.nullish().describe('Limits of one session.'),
  approvals: ApprovalsBlock.nullish().describe('Calls that need no approval, and calls that are always denied.'),
  model_source: ModelSourceSetting.nullish().describe(
    '`provider` calls the provider, `simulator` the local simulator; `auto` calls the provider if its credentials are set, otherwise the simulator. Default: `provider`.',
  ),
  gateway: GatewaySetting.nullish().describe(
    '`off` gives the agent’s process the provider’s own credentials. Default: `on`.',
  ),
  backend: BackendName.nullish().describe(
    'The runtime: `claude` is the Claude Agent SDK, for Anthropic models; `loop` calls the provider from this process, without files or a shell. Default: depends on the provider.',
  ),
  workspace: z
    .strictObject({
      mode: z
        .enum(['shared', 'copy'])
        .nullish()
        .describe('`copy` gives each session a copy of the working directory. Default: `shared`.'),
      writable: z
        .array(text)
        .max(20)
        .nullish()
        .describe('Folders that its shell, tools and hooks may write to in addition to the working directory.'),
    })
    .nullish()
    .describe('The files a session works on.'),
  on_crash: z
    .enum(['wait', 'continue'])
    .nullish()
    .describe('After a restart, an interrupted turn waits for a message or continues. Default: `wait`.'),
  starters: z.array(text.max(2000)).max(12).nullish().describe('Prompts offered on the start page.'),
  tools: z
    .array(ToolBlock)
    .max(50)
    .nullish()
    .describe('Tools in addition to the built-in tools of the Claude backend.'),
  embedding_provider: EmbeddingBlock.nullish().describe(
    'The embedding provider for search tools. Required for Anthropic agents with search tools. Default: the model provider, or `local` for the simulator.',
  ),
  tool_filtering: ToolFilteringBlock.nullish().describe(
    'Offers the model only tools that match the message, on the in-process loop. Has no effect on the Claude backend and causes a warning.',
  ),
  response_format: z
    .union([text, z.record(z.string(), z.unknown())], { error: 'expected a JSON Schema or the path of one' })
    .nullish()
    .describe('JSON Schema of every final answer: the schema itself or the path of a JSON file.'),
  openai: OpenAiBlock.nullish().describe(
    'Settings for `openai`, `azure_openai` and `ollama`, like `claude` for Anthropic.',
  ),
  hooks: z.array(HookBlock).max(50).nullish().describe('Actions at events of a session.'),
  evaluations: EvaluationsBlock.nullish().describe('How `test` evaluates answers.'),
  test_cases: z.array(TestCaseBlock).max(1000).nullish().describe('The cases that `test` runs.'),
  test_cases_file: text.nullish().describe('A YAML or JSON file with the test cases, instead of `test_cases`.'),
  execution: ExecutionBlock.nullish().describe('The time limit of turns, and settings of `test`.'),
  observability: ObservabilityBlock.nullish().describe('Exports turns as OpenTelemetry traces.'),
  extends: z
    .union([text, z.array(text).max(10)], { error: 'expected the path of a file or a list of them' })
    .nullish()
    .describe('Files to inherit from: maps merge, lists replace, `null` clears; the last file wins.'),
  allow_outside: z
    .boolean()
    .nullish()
    .describe('Whether paths in this file may leave the project folder. Default: false.'),
})
export type AgentFile = z.infer<typeof AgentFile>
