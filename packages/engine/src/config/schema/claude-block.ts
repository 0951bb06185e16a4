// `claude:` as users write it. Everything is off until enabled.
import { PermissionMode } from '@quarterdeck/protocol'
import { z } from 'zod'

const text = z.string().trim().min(1, 'must not be blank')

export const SubagentBlock = z.strictObject({
  description: text.describe('When the lead agent should use this subagent.'),
  prompt: text.nullish().describe('Its instructions. Either this or `prompt_file`.'),
  prompt_file: text.nullish().describe('A file with its instructions, relative to this file.'),
  tools: z.array(text).nullish().describe('Its tools. Default: those of the lead agent.'),
  model: text.nullish().describe('`opus`, `sonnet`, `haiku`, a tier, a full id, or `inherit` (the default).'),
})
export type SubagentBlock = z.infer<typeof SubagentBlock>

const ExtendedThinking = z.strictObject({
  enabled: z.boolean().nullish().describe('Whether the model thinks before it answers. Default: false.'),
  budget_tokens: z
    .int()
    .min(1000)
    .max(100_000)
    .nullish()
    .describe('Tokens for thinking. Only a hint for models with adaptive thinking. Default: 10000.'),
})

const Bash = z.strictObject({
  enabled: z.boolean().nullish().describe('Whether the agent has a shell. Default: false.'),
  excluded_commands: z.array(text).nullish().describe('Commands refused anywhere in a command line.'),
  allow_unsafe: z
    .boolean()
    .nullish()
    .describe(
      'False refuses `sudo`, writes outside the working directory, command lines that cannot be parsed, and similar commands, even if a rule allows them. Default: false.',
    ),
})

const FileSystem = z.strictObject({
  read: z.boolean().nullish().describe('Enables Read, Glob and Grep. Default: false.'),
  write: z.boolean().nullish().describe('Enables Write, which creates and replaces files. Default: false.'),
  edit: z.boolean().nullish().describe('Enables Edit, which changes parts of files. Default: false.'),
})

const Subagents = z.strictObject({
  enabled: z.boolean().nullish().describe('Whether it may start subagents. Default: true if `agents` lists any.'),
  max_parallel: z.int().min(1).max(16).nullish().describe('How many subagents may run at once. Default: 4.'),
})

export const ClaudeBlock = z.strictObject({
  working_directory: text
    .nullish()
    .describe('The folder that its files and shell are limited to. Default: the folder of this file.'),
  permission_mode: PermissionMode.nullish().describe(
    '`manual` asks for approval of every call, `acceptEdits` for all calls except edits, `acceptAll` for none; `plan` executes nothing. Default: `manual`.',
  ),
  max_turns: z.int().min(1).nullish().describe('Like `limits.max_turns`; the lower value applies.'),
  max_budget_usd: z.number().positive().nullish().describe('Like `limits.max_budget_usd`; the lower value applies.'),
  extended_thinking: ExtendedThinking.nullish().describe('Thinking before the answer.'),
  effort: z.enum(['low', 'medium', 'high', 'max']).nullish().describe('The effort of the model.'),
  web_search: z.boolean().nullish().describe('Enables web search. Default: false.'),
  bash: Bash.nullish().describe('The shell.'),
  file_system: FileSystem.nullish().describe('Files below the working directory.'),
  subagents: Subagents.nullish().describe('Subagents that the agent starts itself.'),
  agents: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/), SubagentBlock)
    .nullish()
    .describe('Named subagents.'),
  allowed_tools: z.array(text).nullish().describe('The agent gets only these tools. Default: every enabled tool.'),
  disallowed_tools: z.array(text).nullish().describe('The agent never gets these tools, regardless of other settings.'),
  fallback_model: text.nullish().describe('The model to use while the first one is overloaded.'),
  setting_sources: z
    .array(z.enum(['user', 'project', 'local', 'all']))
    .nullish()
    .describe(
      'Claude Code settings of the working directory to load (CLAUDE.md and .claude). `user` loads nothing and causes a warning. Default: none.',
    ),
  max_concurrent_sessions: z
    .int()
    .min(1)
    .max(500)
    .nullish()
    .describe('How many sessions of this agent may work at once; others wait. Default: the limit of the server.'),
  disable_subprocess_env_scrub: z
    .boolean()
    .nullish()
    .describe('A field of HoloDeck files. Has no effect and causes a warning: Quarterdeck does not scrub variables.'),
  i_understand_this_is_unsafe: z
    .boolean()
    .nullish()
    .describe(
      'Silences the warning about `acceptAll`. Required to serve such an agent beyond this machine or on a compatibility listener. Default: false.',
    ),
})
export type ClaudeBlock = z.infer<typeof ClaudeBlock>
