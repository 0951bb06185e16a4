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
import { booleanSetting, optionalSetting, text } from './setting-schemas.ts'
import { TestCaseBlock } from './test-cases-block.ts'
import { ToolBlock } from './tools-block.ts'

export const ModelSourceSetting = z.enum(['provider', 'simulator', 'auto'])
export type ModelSourceSetting = z.infer<typeof ModelSourceSetting>

/** `on` is text in YAML 1.2 and a boolean for tools that read YAML 1.1. */
export const GatewaySetting = z.union([z.enum(['on', 'off']), z.boolean()], { error: 'expected on or off' })
export type GatewaySetting = z.infer<typeof GatewaySetting>

const InstructionsBlock = z.strictObject({
  inline: optionalSetting(text, 'The text of the instructions.'),
  file: optionalSetting(text, 'A file with the instructions, relative to this file.'),
  preset: optionalSetting(z.literal('claude_code'), 'The system prompt of Claude Code.'),
  append: optionalSetting(z.string(), 'Text appended to the preset.'),
})

const LimitsBlock = z.strictObject({
  max_turns: optionalSetting(z.int().min(1), 'Model turns for one message. Default: 50.'),
  max_budget_usd: optionalSetting(z.number().positive(), 'Dollars for one session. Default: 5.'),
  max_duration: optionalSetting(
    text,
    'Working time of one session, such as `90s`, `30m` or `1h`, at most `24d`. Default: `1h`.',
  ),
  units_per_day: optionalSetting(
    z.int().positive(),
    'Units (tokens times the multiplier of the tier) that all sessions of the agent together may use in one UTC day. Default: no limit.',
  ),
})

const ApprovalsBlock = z.strictObject({
  allow: optionalSetting(z.array(text), 'Calls without approval: `Tool` or `Tool(pattern)`; `*` matches any text.'),
  deny: optionalSetting(z.array(text), 'Rules for calls that are always denied.'),
  expires_after: optionalSetting(
    text,
    'How long an approval or a question waits before it expires, at most `24d`. Default: `never`.',
  ),
})

/** For agents on the in-process loop with another provider than Anthropic. */
const OpenAiBlock = z.strictObject({
  max_turns: optionalSetting(z.int().min(1), 'Like `limits.max_turns`; the lower value applies.'),
  max_budget_usd: optionalSetting(z.number().positive(), 'Like `limits.max_budget_usd`; the lower value applies.'),
  effort: optionalSetting(z.enum(['low', 'medium', 'high', 'max']), 'The effort of the model.'),
  fallback_model: optionalSetting(text, 'The model to use while the first one is overloaded.'),
  disallowed_tools: optionalSetting(z.array(text), 'The agent never gets these tools, regardless of other settings.'),
  permissions: optionalSetting(
    z.strictObject({
      allowed_tools: optionalSetting(z.array(text), 'The agent gets only these tools. Default: every declared tool.'),
      disallowed_tools: optionalSetting(z.array(text), 'As `openai.disallowed_tools`.'),
    }),
    'The tools that the agent gets.',
  ),
})

export const AgentFile = z.strictObject({
  name: AgentName.describe('The name: letters, digits, `_` and `-`, starting with a letter, at most 64 characters.'),
  description: optionalSetting(text, 'One line shown to users.'),
  author: optionalSetting(text.max(256), 'The author, for readers of the file. Not shown anywhere.'),
  model: ModelBlock.describe('The model and how to reach it.'),
  instructions: InstructionsBlock.describe('The instructions of the agent: exactly one of `inline`, `file`, `preset`.'),
  claude: optionalSetting(ClaudeBlock, 'The capabilities on the Claude backend. Everything is off until enabled.'),
  limits: optionalSetting(LimitsBlock, 'Limits of one session.'),
  approvals: optionalSetting(ApprovalsBlock, 'Calls that need no approval, and calls that are always denied.'),
  model_source: optionalSetting(
    ModelSourceSetting,
    '`provider` calls the provider, `simulator` the local simulator; `auto` calls the provider if its credentials are set, otherwise the simulator. Default: `provider`.',
  ),
  gateway: optionalSetting(
    GatewaySetting,
    '`off` gives the agent’s process the provider’s own credentials. Default: `on`.',
  ),
  backend: optionalSetting(
    BackendName,
    'The runtime: `claude` is the Claude Agent SDK, for Anthropic models; `loop` calls the provider from this process, without files or a shell. Default: depends on the provider.',
  ),
  workspace: optionalSetting(
    z.strictObject({
      mode: optionalSetting(
        z.enum(['shared', 'copy']),
        '`copy` gives each session a copy of the working directory. Default: `shared`.',
      ),
      writable: optionalSetting(
        z.array(text).max(20),
        'Folders that its shell, tools and hooks may write to in addition to the working directory.',
      ),
    }),
    'The files a session works on.',
  ),
  on_crash: optionalSetting(
    z.enum(['wait', 'continue']),
    'After a restart, an interrupted turn waits for a message or continues. Default: `wait`.',
  ),
  starters: optionalSetting(z.array(text.max(2000)).max(12), 'Prompts offered on the start page.'),
  tools: optionalSetting(z.array(ToolBlock).max(50), 'Tools in addition to the built-in tools of the Claude backend.'),
  embedding_provider: optionalSetting(
    EmbeddingBlock,
    'The embedding provider for search tools. Required for Anthropic agents with search tools. Default: the model provider, or `local` for the simulator.',
  ),
  tool_filtering: optionalSetting(
    ToolFilteringBlock,
    'Offers the model only tools that match the message, on the in-process loop. Has no effect on the Claude backend and causes a warning.',
  ),
  response_format: optionalSetting(
    z.union([text, z.record(z.string(), z.unknown())], { error: 'expected a JSON Schema or the path of one' }),
    'JSON Schema of every final answer: the schema itself or the path of a JSON file.',
  ),
  openai: optionalSetting(
    OpenAiBlock,
    'Settings for `openai`, `azure_openai` and `ollama`, like `claude` for Anthropic.',
  ),
  hooks: optionalSetting(z.array(HookBlock).max(50), 'Actions at events of a session.'),
  evaluations: optionalSetting(EvaluationsBlock, 'How `test` evaluates answers.'),
  test_cases: optionalSetting(z.array(TestCaseBlock).max(1000), 'The cases that `test` runs.'),
  test_cases_file: optionalSetting(text, 'A YAML or JSON file with the test cases, instead of `test_cases`.'),
  execution: optionalSetting(ExecutionBlock, 'The time limit of turns, and settings of `test`.'),
  observability: optionalSetting(ObservabilityBlock, 'Exports turns as OpenTelemetry traces.'),
  extends: optionalSetting(
    z.union([text, z.array(text).max(10)], { error: 'expected the path of a file or a list of them' }),
    'Files to inherit from: maps merge, lists replace, `null` clears; the last file wins.',
  ),
  allow_outside: booleanSetting('Whether paths in this file may leave the project folder. Default: false.'),
})
export type AgentFile = z.infer<typeof AgentFile>
