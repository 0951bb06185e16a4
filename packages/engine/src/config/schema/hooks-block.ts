// `hooks:` as users write it.
import { z } from 'zod'
import { hookEvents } from '../../hooks/hook-event.ts'
import { Variables } from './tools-block.ts'

const text = z.string().trim().min(1, 'must not be blank')

export const HookBlock = z.strictObject({
  event: z.enum(hookEvents).describe('The moment, by the Claude Agent SDK’s name.'),
  matcher: text.nullish().describe('A regular expression over the whole name of the tool; every one unless said.'),
  action: z
    .enum(['log', 'reject', 'modify', 'script'])
    .describe('Writes to the log, refuses, changes the call’s input, or asks a program.'),
  message: text.nullish().describe('With `reject`: what the agent is told.'),
  input: z.record(z.string(), z.unknown()).nullish().describe('With `modify`: laid over the call’s input.'),
  command: text.nullish().describe('With `script`: a program that gets the event as JSON; exit code 2 refuses.'),
  args: z.array(z.string()).nullish().describe('With `script`: its arguments.'),
  env: Variables.nullish().describe(
    'With `script`: the variables it sees beside PATH and HOME: a map, or a list of names.',
  ),
  timeout: z.number().positive().max(600).nullish().describe('With `script`: seconds it may take; 30 unless said.'),
})
export type HookBlock = z.infer<typeof HookBlock>
