// The agent file as users write it: strict, snake_case. What is here is enforced or says that it is not; what the design
// knows and this version does not do yet is refused by name in unsupported.ts.
import { AgentName, AuthProvider, BackendName } from '@quarterdeck/protocol'
import { z } from 'zod'
import { ClaudeBlock } from './claude-block.ts'
import { neededVariables } from './credentials.ts'

const text = z.string().trim().min(1, 'must not be blank')

export const ModelSourceSetting = z.enum(['provider', 'simulator', 'auto'])
export type ModelSourceSetting = z.infer<typeof ModelSourceSetting>

/** `on` is a word in YAML 1.2 and a boolean for tools that still read 1.1. */
export const GatewaySetting = z.union([z.enum(['on', 'off']), z.boolean()], { error: 'expected on or off' })
export type GatewaySetting = z.infer<typeof GatewaySetting>

const needs = (authProvider: AuthProvider): string =>
  `\`${authProvider}\`: ${neededVariables(authProvider)
    .map((variable) => `\`${variable.replaceAll(' or ', '` or `')}\``)
    .join(', ')}`

const ModelBlock = z.strictObject({
  provider: z.enum(['anthropic', 'simulator']).describe('Who answers: `anthropic`, or the simulator on this machine.'),
  name: text
    .nullish()
    .describe('A tier (`pro`, `high`, `low`), a full model id, or `auto`: each turn then runs on what fits it.'),
  endpoint: z
    .url({ protocol: /^https?$/, error: 'expected an http or https address' })
    .nullish()
    .describe('The address of the API, where it is not the provider’s own. `ANTHROPIC_BASE_URL` wins.'),
  api_key: z
    .string()
    .nullish()
    .describe(
      'A reference to the variable with the key, where it is not the usual one. With `api_key` and `custom` only.',
    ),
  auth_provider: AuthProvider.nullish().describe(
    `How to sign in; \`api_key\` unless said. What each needs: ${AuthProvider.options.map(needs).join('; ')}.`,
  ),
  max_tokens: z.int().positive().nullish().describe('The longest answer of one request, in tokens.'),
  temperature: z.number().min(0).max(2).nullish().describe('No such setting on the Claude backend: warns.'),
  top_p: z.number().min(0).max(1).nullish().describe('No such setting on the Claude backend: warns.'),
})

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
  backend: BackendName.nullish().describe('The runtime: the Claude Agent SDK.'),
  workspace: z
    .strictObject({
      mode: z.enum(['shared', 'copy']).nullish().describe('`copy` gives each session a copy of the working directory.'),
    })
    .nullish()
    .describe('Where a session works.'),
  on_crash: z.enum(['wait', 'continue']).nullish().describe('What an interrupted turn does after a restart.'),
  starters: z.array(text.max(2000)).max(12).nullish().describe('Prompts the first page offers.'),
  tool_filtering: z
    .unknown()
    .optional()
    .describe('A field of HoloDeck’s files. No effect on the Claude backend: warns.'),
  allow_outside: z.boolean().nullish().describe('Whether paths in this file may leave the project folder.'),
})
export type AgentFile = z.infer<typeof AgentFile>
