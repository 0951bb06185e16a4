// `claude:` as users write it. Everything is off until named.
import { PermissionMode } from '@quarterdeck/protocol'
import { z } from 'zod'

const text = z.string().trim().min(1, 'must not be blank')

export const SubagentBlock = z.strictObject({
  description: text.describe('When the lead agent should call on this one.'),
  prompt: text.nullish().describe('Its instructions. Either this or `prompt_file`.'),
  prompt_file: text.nullish().describe('A file with its instructions, relative to this file.'),
  tools: z.array(text).nullish().describe('The tools it has; without it, those of the lead agent.'),
  model: text.nullish().describe('`opus`, `sonnet`, `haiku`, a tier, a full id, or `inherit` (the default).'),
})
export type SubagentBlock = z.infer<typeof SubagentBlock>

const ExtendedThinking = z.strictObject({
  enabled: z.boolean().nullish().describe('Whether the model thinks before it answers. Off unless true.'),
  budget_tokens: z
    .int()
    .min(1000)
    .max(100_000)
    .nullish()
    .describe('Tokens to think with, 10000 unless said. A hint on models that think adaptively.'),
})

const Bash = z.strictObject({
  enabled: z.boolean().nullish().describe('Whether the agent has a shell. Off unless true.'),
  excluded_commands: z.array(text).nullish().describe('Commands refused wherever they stand in a command line.'),
  allow_unsafe: z
    .boolean()
    .nullish()
    .describe(
      'False refuses `sudo`, writes outside the working directory, lines that cannot be read and the like even where a rule allows.',
    ),
})

const FileSystem = z.strictObject({
  read: z.boolean().nullish().describe('Read, Glob and Grep. Off unless true.'),
  write: z.boolean().nullish().describe('Write: new files and whole ones. Off unless true.'),
  edit: z.boolean().nullish().describe('Edit: changes inside files. Off unless true.'),
})

const Subagents = z.strictObject({
  enabled: z.boolean().nullish().describe('Whether it may start subagents. Off, unless `agents` names some.'),
  max_parallel: z.int().min(1).max(16).nullish().describe('How many may run at once; 4 unless said.'),
})

export const ClaudeBlock = z.strictObject({
  working_directory: text
    .nullish()
    .describe('The folder its files and shell are scoped to; the folder of this file unless said.'),
  permission_mode: PermissionMode.nullish().describe(
    '`manual` asks for every call, `acceptEdits` for all but edits, `acceptAll` for none; `plan` executes nothing.',
  ),
  max_turns: z.int().min(1).nullish().describe('As `limits.max_turns`; the lower of the two counts.'),
  max_budget_usd: z.number().positive().nullish().describe('As `limits.max_budget_usd`; the lower of the two counts.'),
  extended_thinking: ExtendedThinking.nullish().describe('Thinking before answering.'),
  effort: z.enum(['low', 'medium', 'high', 'max']).nullish().describe('How hard the model tries.'),
  web_search: z.boolean().nullish().describe('Search on the web. Off unless true.'),
  bash: Bash.nullish().describe('The shell.'),
  file_system: FileSystem.nullish().describe('Files under the working directory.'),
  subagents: Subagents.nullish().describe('Agents it starts by itself.'),
  agents: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/), SubagentBlock)
    .nullish()
    .describe('Named subagents.'),
  allowed_tools: z.array(text).nullish().describe('Only these tools exist; without it, every one switched on.'),
  disallowed_tools: z.array(text).nullish().describe('These tools do not exist, whatever else is said.'),
  fallback_model: text.nullish().describe('The model to use while the first one is overloaded.'),
  setting_sources: z
    .array(z.enum(['user', 'project', 'local', 'all']))
    .nullish()
    .describe(
      'Claude Code settings of the working directory to load (CLAUDE.md and .claude); none unless named. `user` loads nothing: warns.',
    ),
  max_concurrent_sessions: z
    .int()
    .min(1)
    .max(500)
    .nullish()
    .describe('How many of its sessions may work at once; the others wait. As many as the server lets, unless said.'),
  disable_subprocess_env_scrub: z
    .boolean()
    .nullish()
    .describe('A field of HoloDeck’s files. Nothing is scrubbed, so there is nothing to switch off: warns.'),
  i_understand_this_is_unsafe: z.boolean().nullish().describe('Silences the warning about `acceptAll`.'),
})
export type ClaudeBlock = z.infer<typeof ClaudeBlock>
