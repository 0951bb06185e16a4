// `claude:` as users write it. Everything is off until enabled.
import { PermissionMode } from '@quarterdeck/protocol'
import { z } from 'zod'
import { flag, optional, text } from './setting.ts'

export const SubagentBlock = z.strictObject({
  description: text.describe('When the lead agent should use this subagent.'),
  prompt: optional(text, 'Its instructions. Either this or `prompt_file`.'),
  prompt_file: optional(text, 'A file with its instructions, relative to this file.'),
  tools: optional(z.array(text), 'Its tools. Default: those of the lead agent.'),
  model: optional(text, '`opus`, `sonnet`, `haiku`, a tier, a full id, or `inherit` (the default).'),
})
export type SubagentBlock = z.infer<typeof SubagentBlock>

const ExtendedThinking = z.strictObject({
  enabled: flag('Whether the model thinks before it answers. Default: false.'),
  budget_tokens: optional(
    z.int().min(1000).max(100_000),
    'Tokens for thinking. Only a hint for models with adaptive thinking. Default: 10000.',
  ),
})

const Bash = z.strictObject({
  enabled: flag('Whether the agent has a shell. Default: false.'),
  excluded_commands: optional(z.array(text), 'Commands refused anywhere in a command line.'),
  allow_unsafe: flag(
    'False refuses `sudo`, writes outside the working directory, command lines that cannot be parsed, and similar commands, even if a rule allows them. Default: false.',
  ),
})

const FileSystem = z.strictObject({
  read: flag('Enables Read, Glob and Grep. Default: false.'),
  write: flag('Enables Write, which creates and replaces files. Default: false.'),
  edit: flag('Enables Edit, which changes parts of files. Default: false.'),
})

const Subagents = z.strictObject({
  enabled: flag('Whether it may start subagents. Default: true if `agents` lists any.'),
  max_parallel: optional(z.int().min(1).max(16), 'How many subagents may run at once. Default: 4.'),
})

export const ClaudeBlock = z.strictObject({
  working_directory: optional(
    text,
    'The folder that its files and shell are limited to. Default: the folder of this file.',
  ),
  permission_mode: optional(
    PermissionMode,
    '`manual` asks for approval of every call, `acceptEdits` for all calls except edits, `acceptAll` for none; `plan` executes nothing. Default: `manual`.',
  ),
  max_turns: optional(z.int().min(1), 'Like `limits.max_turns`; the lower value applies.'),
  max_budget_usd: optional(z.number().positive(), 'Like `limits.max_budget_usd`; the lower value applies.'),
  extended_thinking: optional(ExtendedThinking, 'Thinking before the answer.'),
  effort: optional(z.enum(['low', 'medium', 'high', 'max']), 'The effort of the model.'),
  web_search: flag('Enables web search. Default: false.'),
  bash: optional(Bash, 'The shell.'),
  file_system: optional(FileSystem, 'Files below the working directory.'),
  subagents: optional(Subagents, 'Subagents that the agent starts itself.'),
  agents: optional(z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/), SubagentBlock), 'Named subagents.'),
  allowed_tools: optional(z.array(text), 'The agent gets only these tools. Default: every enabled tool.'),
  disallowed_tools: optional(z.array(text), 'The agent never gets these tools, regardless of other settings.'),
  fallback_model: optional(text, 'The model to use while the first one is overloaded.'),
  setting_sources: optional(
    z.array(z.enum(['user', 'project', 'local', 'all'])),
    'Claude Code settings of the working directory to load (CLAUDE.md and .claude). `user` loads nothing and causes a warning. Default: none.',
  ),
  max_concurrent_sessions: optional(
    z.int().min(1).max(500),
    'How many sessions of this agent may work at once; others wait. Default: the limit of the server.',
  ),
  disable_subprocess_env_scrub: flag(
    'A field of HoloDeck files. Has no effect and causes a warning: Quarterdeck does not scrub variables.',
  ),
  i_understand_this_is_unsafe: flag(
    'Silences the warning about `acceptAll`. Required to serve such an agent beyond this machine or on a compatibility listener. Default: false.',
  ),
})
export type ClaudeBlock = z.infer<typeof ClaudeBlock>
