// `hooks:` as users write it.
import { z } from 'zod'
import { hookEvents } from '../../hooks/hook-event.ts'
import { Variables } from './tools-block.ts'

const text = z.string().trim().min(1, 'must not be blank')

export const HookBlock = z.strictObject({
  event: z.enum(hookEvents).describe('The event, by its name in the Claude Agent SDK.'),
  matcher: text.nullish().describe('A regular expression that must match the whole tool name. Default: every tool.'),
  action: z
    .enum(['log', 'reject', 'modify', 'script'])
    .describe('`log` writes to the process log, `reject` denies, `modify` changes the input, `script` runs a program.'),
  message: text.nullish().describe('With `reject`: the message to the agent.'),
  input: z.record(z.string(), z.unknown()).nullish().describe('With `modify`: merged over the input of the call.'),
  command: text.nullish().describe('With `script`: a program that gets the event as JSON; exit code 2 denies.'),
  args: z.array(z.string()).nullish().describe('With `script`: its arguments.'),
  env: Variables.nullish().describe(
    'With `script`: its variables in addition to PATH and HOME: a map, or a list of names.',
  ),
  timeout: z.number().positive().max(600).nullish().describe('With `script`: its time limit in seconds. Default: 30.'),
})
export type HookBlock = z.infer<typeof HookBlock>
