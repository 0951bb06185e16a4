// `hooks:` as users write it.
import { z } from 'zod'
import { hookEvents } from '../../hooks/hook-event.ts'
import { optionalSetting, text } from './setting-schemas.ts'
import { Variables } from './tools-block.ts'

export const HookBlock = z.strictObject({
  event: z.enum(hookEvents).describe('The event, by its name in the Claude Agent SDK.'),
  matcher: optionalSetting(text, 'A regular expression that must match the whole tool name. Default: every tool.'),
  action: z
    .enum(['log', 'reject', 'modify', 'script'])
    .describe('`log` writes to the process log, `reject` denies, `modify` changes the input, `script` runs a program.'),
  message: optionalSetting(text, 'With `reject`: the message to the agent.'),
  input: optionalSetting(z.record(z.string(), z.unknown()), 'With `modify`: merged over the input of the call.'),
  command: optionalSetting(text, 'With `script`: a program that gets the event as JSON; exit code 2 denies.'),
  args: optionalSetting(z.array(z.string()), 'With `script`: its arguments.'),
  env: optionalSetting(
    Variables,
    'With `script`: its variables in addition to PATH and HOME: a map, or a list of names.',
  ),
  timeout: optionalSetting(z.number().positive().max(600), 'With `script`: its time limit in seconds. Default: 30.'),
})
export type HookBlock = z.infer<typeof HookBlock>
