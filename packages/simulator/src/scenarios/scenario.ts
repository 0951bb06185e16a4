// A scenario file: steps with conditions and answers. People write it, so every unknown key is an error.
import { StopReason } from '@quarterdeck/model'
import { QuarterdeckError } from '@quarterdeck/protocol'
import { isNode, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { Fault } from '../faults/fault.ts'

const Pattern = z.string().refine(isRegularExpression, 'is not a regular expression')

const When = z.strictObject({
  /** Number of the user's prompt, from 1. */
  turn: z.int().positive().optional(),
  /** For the user's latest prompt. Without `tool_result` the request must end with it. */
  text: Pattern.optional(),
  /** The request brings the result of this tool. */
  tool_result: z
    .strictObject({ name: z.string().optional(), pattern: Pattern.optional(), is_error: z.boolean().optional() })
    .optional(),
  system: Pattern.optional(),
  subagent: z.boolean().optional(),
  model: Pattern.optional(),
  tools_offered: z.array(z.string()).optional(),
  /** The number of tool calls since the user's latest prompt. */
  calls: z.int().nonnegative().optional(),
  /** The user's latest prompt is a wake message. */
  wake: z.boolean().optional(),
})

const tokens = z.int().nonnegative().optional()

const Then = z.strictObject({
  thinking: z.string().optional(),
  text: z.string().optional(),
  tools: z.array(z.strictObject({ name: z.string(), input: z.record(z.string(), z.unknown()).default({}) })).optional(),
  /** After a wake message: repeats its approved calls exactly, or with parts of their input changed. */
  reissue: z.union([z.literal('exactly'), z.strictObject({ changed: z.record(z.string(), z.unknown()) })]).optional(),
  structured_output: z.unknown().optional(),
  stop_reason: StopReason.optional(),
  usage: z
    .strictObject({
      input_tokens: tokens,
      output_tokens: tokens,
      cache_read_input_tokens: tokens,
      cache_creation_input_tokens: tokens,
    })
    .optional(),
  delay_ms: z.int().nonnegative().optional(),
  pace_ms: z.int().nonnegative().optional(),
  fault: Fault.optional(),
})

const ScenarioStep = z
  .strictObject({
    name: z.string().optional(),
    when: When.default({}),
    then: Then,
    /** How often the step may answer; 1 by default. */
    times: z.int().positive().optional(),
    repeat: z.boolean().optional(),
  })
  .refine((step) => step.times === undefined || step.repeat === undefined, {
    message: 'has both times and repeat: keep one',
  })
export type ScenarioStep = z.infer<typeof ScenarioStep>

export const Scenario = z.strictObject({
  name: z.string().optional(),
  description: z.string().optional(),
  steps: z.array(ScenarioStep).min(1),
})
export type Scenario = z.infer<typeof Scenario>

/** Reads a scenario. Every problem is reported at once, with file, line and path. */
export function loadScenario(text: string, fileName: string): Scenario {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  if (document.errors.length > 0) {
    throw invalid(
      fileName,
      document.errors.map((error) => `${fileName}:${lines.linePos(error.pos[0]).line}: ${firstLine(error.message)}`),
    )
  }
  const parsed = Scenario.safeParse(document.toJS())
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => {
    const path = issue.path.filter((part) => typeof part !== 'symbol')
    const node = document.getIn(path, true)
    const offset = isNode(node) ? node.range?.[0] : undefined
    const line = offset === undefined ? '' : `:${lines.linePos(offset).line}`
    return `${fileName}${line}: ${spell(path)}${issue.message}`
  })
  throw invalid(fileName, problems)
}

const invalid = (fileName: string, problems: readonly string[]): QuarterdeckError =>
  new QuarterdeckError('config.invalid', problems.join('\n'), { facts: { fileName, problems } })

function spell(path: readonly (string | number)[]): string {
  if (path.length === 0) return ''
  const spelled = path.map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at > 0 ? '.' : ''}${part}`))
  return `${spelled.join('')}: `
}

const firstLine = (message: string): string => message.split('\n')[0] ?? message

function isRegularExpression(source: string): boolean {
  try {
    new RegExp(source)
    return true
  } catch {
    // The refinement names the field.
    return false
  }
}
