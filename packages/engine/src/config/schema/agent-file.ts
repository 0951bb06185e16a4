// The agent file as users write it: strict, snake_case. What is here is enforced or says that it is not; what the design
// knows and this version does not do yet is refused by name in unsupported.ts.
import { AgentName, BackendName } from '@quarterdeck/protocol'
import { z } from 'zod'
import { ClaudeBlock } from './claude-block.ts'
import { EvaluationsBlock } from './evaluations-block.ts'
import { ExecutionBlock, ToolFilteringBlock } from './execution-block.ts'
import { GatewaySetting } from './gateway-setting.ts'
import { HookBlock } from './hooks-block.ts'
import { EmbeddingBlock, ModelBlock } from './model-block.ts'
import { ObservabilityBlock } from './observability-block.ts'
import { OpenAiBlock } from './openai-block.ts'
import { TestCaseBlock } from './test-cases-block.ts'
import { ToolBlock } from './tools-block.ts'

const text = z.string().trim().min(1, 'must not be blank')

export const ModelSourceSetting = z.enum(['provider', 'simulator', 'auto'])
export type ModelSourceSetting = z.infer<typeof ModelSourceSetting>

const InstructionsBlock = z.strictObject({
  inline: text.nullish().describe('The instructions themselves.'),
  file: text.nullish().describe('A file with the instructions, relative to this file.'),
  preset: z.literal('claude_code').nullish().describe('Claude Code’s own system prompt.'),
  append: z.string().nullish().describe('Added after the preset.'),
})

const LimitsBlock = z.strictObject({
  max_turns: z.int().min(1).nullish().describe('Model turns for one message; 50 unless said.'),
  max_budget_usd: z.number().positive().nullish().describe('Dollars in one session; 5 unless said.'),
  max_duration: text
    .nullish()
    .describe('Working time of one session, such as `90s`, `30m`, `1h`, at most `24d`; `1h` unless said.'),
  units_per_day: z
    .int()
    .positive()
    .nullish()
    .describe(
      'Units (tokens times the tier’s multiplier) all its sessions may use in a UTC day; no limit unless said.',
    ),
})

const ApprovalsBlock = z.strictObject({
  allow: z.array(text).nullish().describe('Rules that need no person: `Tool` or `Tool(pattern)`, `*` for any text.'),
  deny: z.array(text).nullish().describe('Rules that always refuse.'),
  expires_after: text
    .nullish()
    .describe('How long a request waits before it is denied, at most `24d`; `never` unless said.'),
})

export const AgentFile = z.strictObject({
  name: AgentName.describe('What the agent is called: letters, digits, `_` and `-`, a letter first, up to 64.'),
  description: text.nullish().describe('One line for people.'),
  author: text.max(256).nullish().describe('Who wrote it: for readers of the file, shown nowhere.'),
  model: ModelBlock.describe('Which model answers and how it is reached.'),
  instructions: InstructionsBlock.describe('What the agent is told: exactly one of `inline`, `file`, `preset`.'),
  claude: ClaudeBlock.nullish().describe('What it may do. Everything is off until named.'),
  limits: LimitsBlock.nullish().describe('Where a session ends.'),
  approvals: ApprovalsBlock.nullish().describe('Calls that need no person, and calls that are never made.'),
  model_source: ModelSourceSetting.nullish().describe(
    '`provider`; `simulator` for the stand-in on this machine; `auto`: the provider where its credentials are set.',
  ),
  gateway: GatewaySetting.nullish().describe('`off` hands the agent’s process the provider’s own credentials.'),
  backend: BackendName.nullish().describe(
    'The runtime: `claude`, the Claude Agent SDK, for Anthropic’s models; `loop` calls the provider from this process, without files or a shell. By provider unless said.',
  ),
  workspace: z
    .strictObject({
      mode: z.enum(['shared', 'copy']).nullish().describe('`copy` gives each session a copy of the working directory.'),
      writable: z
        .array(text)
        .max(20)
        .nullish()
        .describe('Folders its shell, tools and hooks may write to, beside the working directory.'),
    })
    .nullish()
    .describe('Where a session works.'),
  on_crash: z.enum(['wait', 'continue']).nullish().describe('What an interrupted turn does after a restart.'),
  starters: z.array(text.max(2000)).max(12).nullish().describe('Prompts the first page offers.'),
  tools: z.array(ToolBlock).max(50).nullish().describe('What it can call beside the tools of the Claude backend.'),
  embedding_provider: EmbeddingBlock.nullish().describe(
    'Who turns the texts of search tools into vectors. Anthropic’s agents need one for them; others use their own provider, the simulator’s agents `local`.',
  ),
  tool_filtering: ToolFilteringBlock.nullish().describe(
    'Offers the model only the tools that fit the message, on the in-process loop. On the Claude backend no effect: warns.',
  ),
  response_format: z
    .union([text, z.record(z.string(), z.unknown())], { error: 'expected a JSON Schema or the path of one' })
    .nullish()
    .describe('JSON Schema that every final answer keeps: the schema itself or the path of a JSON file.'),
  openai: OpenAiBlock.nullish().describe(
    'Settings for `openai`, `azure_openai` and `ollama`, as `claude` has for Anthropic.',
  ),
  hooks: z.array(HookBlock).max(50).nullish().describe('What happens at the moments of a session.'),
  evaluations: EvaluationsBlock.nullish().describe('How `test` measures answers.'),
  test_cases: z.array(TestCaseBlock).max(1000).nullish().describe('What `test` runs.'),
  test_cases_file: text.nullish().describe('A YAML or JSON file with the cases, instead of `test_cases`.'),
  execution: ExecutionBlock.nullish().describe('How long turns may take, and how `test` runs.'),
  observability: ObservabilityBlock.nullish().describe('Turns as OpenTelemetry traces.'),
  extends: z
    .union([text, z.array(text).max(10)], { error: 'expected the path of a file or a list of them' })
    .nullish()
    .describe('Files to start from: maps merge, lists replace, `null` clears; of several the later wins.'),
  allow_outside: z.boolean().nullish().describe('Whether paths in this file may leave the project folder.'),
})
export type AgentFile = z.infer<typeof AgentFile>
