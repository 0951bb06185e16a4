// `claude:` as users write it. Everything is off until enabled.
import { PermissionMode } from '@quarterdeck/protocol'
import { z } from 'zod'
import { booleanSetting, optionalSetting, text } from './setting-schemas.ts'

export const SubagentBlock = z.strictObject({
  description: text.describe('When the lead agent should use this subagent.'),
  prompt: optionalSetting(text, 'Its instructions. Either this or `prompt_file`.'),
  prompt_file: optionalSetting(text, 'A file with its instructions, relative to this file.'),
  tools: optionalSetting(z.array(text), 'Its tools. Default: those of the lead agent.'),
  model: optionalSetting(text, '`opus`, `sonnet`, `haiku`, a tier, a full id, or `inherit` (the default).'),
})
export type SubagentBlock = z.infer<typeof SubagentBlock>

const ExtendedThinking = z.strictObject({
  enabled: booleanSetting('Whether the model thinks before it answers. Default: false.'),
  budget_tokens: optionalSetting(
    z.int().min(1000).max(100_000),
    'Tokens for thinking. Only a hint for models with adaptive thinking. Default: 10000.',
  ),
})

const Bash = z.strictObject({
  enabled: booleanSetting('Whether the agent has a shell. Default: false.'),
  excluded_commands: optionalSetting(z.array(text), 'Commands refused anywhere in a command line.'),
  allow_unsafe: booleanSetting(
    'False refuses `sudo`, writes outside the working directory, command lines that cannot be parsed, and similar commands, even if a rule allows them. Default: false.',
  ),
})

const FileSystem = z.strictObject({
  read: booleanSetting('Enables Read, Glob and Grep. Default: false.'),
  write: booleanSetting('Enables Write, which creates and replaces files. Default: false.'),
  edit: booleanSetting('Enables Edit, which changes parts of files. Default: false.'),
})

const Subagents = z.strictObject({
  enabled: booleanSetting('Whether it may start subagents. Default: true if `agents` lists any.'),
  max_parallel: optionalSetting(z.int().min(1).max(16), 'How many subagents may run at once. Default: 4.'),
})

export const ClaudeBlock = z.strictObject({
  working_directory: optionalSetting(
    text,
    'The folder that its files and shell are limited to. Default: the folder of this file.',
  ),
  permission_mode: optionalSetting(
    PermissionMode,
    '`manual` asks for approval of every call that no rule allows; `acceptEdits` asks for all except edits inside the working directory; `acceptAll` asks for none; `plan` executes nothing. Default: `manual`.',
  ),
  max_turns: optionalSetting(z.int().min(1), 'Like `limits.max_turns`; the lower value applies.'),
  max_budget_usd: optionalSetting(z.number().positive(), 'Like `limits.max_budget_usd`; the lower value applies.'),
  extended_thinking: optionalSetting(ExtendedThinking, 'Thinking before the answer.'),
  effort: optionalSetting(z.enum(['low', 'medium', 'high', 'max']), 'The effort of the model.'),
  web_search: booleanSetting('Enables web search. Default: false.'),
  bash: optionalSetting(Bash, 'The shell.'),
  file_system: optionalSetting(FileSystem, 'Files below the working directory.'),
  subagents: optionalSetting(Subagents, 'Subagents that the agent starts itself.'),
  agents: optionalSetting(
    z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/), SubagentBlock),
    'Named subagents.',
  ),
  allowed_tools: optionalSetting(z.array(text), 'The agent gets only these tools. Default: every enabled tool.'),
  disallowed_tools: optionalSetting(z.array(text), 'The agent never gets these tools, regardless of other settings.'),
  fallback_model: optionalSetting(text, 'The model to use while the first one is overloaded.'),
  setting_sources: optionalSetting(
    z.array(z.enum(['user', 'project', 'local', 'all'])),
    'Claude Code settings of the working directory to load (CLAUDE.md and .claude). `user` loads nothing and causes a warning. Default: none.',
  ),
  max_concurrent_sessions: optionalSetting(
    z.int().min(1).max(500),
    'How many sessions of this agent may work at once; others wait. Default: the limit of the server.',
  ),
  disable_subprocess_env_scrub: booleanSetting(
    'A field of HoloDeck files. Has no effect and causes a warning: Quarterdeck does not scrub variables.',
  ),
  i_understand_this_is_unsafe: booleanSetting(
    'Silences the warning about `acceptAll`. Required to serve such an agent beyond this machine or on a compatibility listener. Default: false.',
  ),
})
export type ClaudeBlock = z.infer<typeof ClaudeBlock>
