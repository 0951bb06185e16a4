// Parses the answers of hooks, once for every backend. Programs in other languages print `null` for omitted fields.
import { isRecord, type JsonObject } from '@quarterdeck/protocol'
import { z } from 'zod'
import { misplacedKey } from './misplaced-key.ts'

/** A single `null`, or the `async` field, would make the Claude CLI ignore the whole answer (measured). */
const withoutNulls = (value: unknown): unknown =>
  isRecord(value)
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
    /** The older name of `updatedToolOutput`. */
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

/** An answer that cannot be parsed. The message names the invalid field. */
export class UnreadableHookAnswer extends Error {}

/**
 * Returns the form that the SDK expects: with the event's name, and without absent fields. Throws
 * `UnreadableHookAnswer`.
 */
export function parseHookAnswer(event: string, output: unknown): HookAnswer {
  const read = HookAnswerSchema.safeParse(output)
  if (!read.success) {
    const paths = new Set(read.error.issues.map(({ path }) => path.join('.') || 'the whole answer'))
    throw new UnreadableHookAnswer(`a hook returned an invalid answer: ${[...paths].join(', ')}`)
  }
  const { hookSpecificOutput, ...answer } = read.data
  const misplaced = misplacedKey(answer, hookSpecificOutput ?? {})
  if (misplaced !== null) {
    throw new UnreadableHookAnswer(`a hook returned an invalid answer: ${misplaced}`)
  }
  if (hookSpecificOutput === undefined) return answer
  const { updatedMCPToolOutput, ...part } = hookSpecificOutput
  const updatedToolOutput = part.updatedToolOutput ?? updatedMCPToolOutput
  const replaced = updatedToolOutput === undefined ? {} : { updatedToolOutput }
  return { ...answer, hookSpecificOutput: { ...part, ...replaced, hookEventName: event } }
}

/** The substitute for an invalid answer. It fails closed, because the answer may have been a refusal. */
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

/** The answer that backends use. */
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

/** Why a hook refuses; `null` if it does not. A refusal counts even without a reason. */
export const objectionOf = (
  { decision, reason }: Pick<HookAnswer, 'decision' | 'reason'>,
  otherwise = 'Blocked by hook',
): string | null => (decision === 'block' ? reason || otherwise : null)
