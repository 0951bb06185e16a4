// What hooks answer, read once for every backend. Programs in other languages print `null` for what they leave out.
import type { JsonObject } from '@quarterdeck/protocol'
import { z } from 'zod'
import { misplacedKey } from './misplaced-key.ts'

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** One `null` would make the Claude CLI ignore the whole answer (measured), and so would word that it comes later. */
const withoutNulls = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([key, part]) => part !== null && key !== 'async'))
    : value

const HookSpecificSchema = z.preprocess(
  withoutNulls,
  z.looseObject({
    additionalContext: z.string().optional(),
    permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
    permissionDecisionReason: z.string().optional(),
    updatedInput: z.record(z.string(), z.unknown()).optional(),
    updatedToolOutput: z.unknown().optional(),
    /** Its older name. */
    updatedMCPToolOutput: z.unknown().optional(),
  }),
)

const HookAnswerSchema = z.preprocess(
  withoutNulls,
  z.looseObject({
    continue: z.boolean().optional(),
    stopReason: z.string().optional(),
    systemMessage: z.string().optional(),
    suppressOutput: z.boolean().optional(),
    /** `block` is the older way to refuse, for every event. */
    decision: z.enum(['approve', 'block']).optional(),
    reason: z.string().optional(),
    hookSpecificOutput: HookSpecificSchema.optional(),
  }),
)

export type HookAnswer = z.infer<typeof HookAnswerSchema>
type HookSpecific = z.infer<typeof HookSpecificSchema>

/** An answer that cannot be read; the message says where. */
export class UnreadableHookAnswer extends Error {}

/** As the SDK wants it: with the event's name, and without what is absent. Throws `UnreadableHookAnswer`. */
export function parseHookAnswer(event: string, output: unknown): HookAnswer {
  const read = HookAnswerSchema.safeParse(output)
  if (!read.success) {
    const paths = new Set(read.error.issues.map(({ path }) => path.join('.') || 'the whole of it'))
    throw new UnreadableHookAnswer(`a hook answered something that cannot be read: ${[...paths].join(', ')}`)
  }
  const { hookSpecificOutput, ...answer } = read.data
  const misplaced = misplacedKey(answer, hookSpecificOutput ?? {})
  if (misplaced !== null) {
    throw new UnreadableHookAnswer(`a hook answered something that cannot be read: ${misplaced}`)
  }
  if (hookSpecificOutput === undefined) return answer
  const { updatedMCPToolOutput, ...part } = hookSpecificOutput
  const updatedToolOutput = part.updatedToolOutput ?? updatedMCPToolOutput
  const replaced = updatedToolOutput === undefined ? {} : { updatedToolOutput }
  return { ...answer, hookSpecificOutput: { ...part, ...replaced, hookEventName: event } }
}

/** What counts instead of an answer that cannot be read: it may have refused something, or hidden it. */
export function answerForUnreadable(event: string, message: string): HookAnswer {
  switch (event) {
    case 'PreToolUse':
    case 'UserPromptSubmit':
    case 'PreCompact':
      return { decision: 'block', reason: message }
    case 'PostToolUse':
      return { hookSpecificOutput: { hookEventName: event, updatedToolOutput: `[withheld: ${message}]` } }
    default:
      return {}
  }
}

/** What a backend goes by. */
export type CompleteHookAnswer = HookAnswer & { readonly hookSpecificOutput: HookSpecific }

export function readHookAnswer(event: string, output: JsonObject): CompleteHookAnswer {
  const answer = parseOrDefault(event, output)
  return { ...answer, hookSpecificOutput: answer.hookSpecificOutput ?? {} }
}

function parseOrDefault(event: string, output: JsonObject): HookAnswer {
  try {
    return parseHookAnswer(event, output)
  } catch (error) {
    if (!(error instanceof UnreadableHookAnswer)) throw error
    return answerForUnreadable(event, error.message)
  }
}

/** Why a hook says no; `null` when it does not. One without words, or with empty ones, says no all the same. */
export const objectionOf = (
  { decision, reason }: Pick<HookAnswer, 'decision' | 'reason'>,
  otherwise = 'Blocked by hook',
): string | null => (decision === 'block' ? reason || otherwise : null)
