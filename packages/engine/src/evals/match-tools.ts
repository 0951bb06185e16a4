// Checks which expected tool calls were made and executed. Order does not matter, and extra calls are allowed.
import { isDeepStrictEqual } from 'node:util'
import type { ToolCallRecord } from '@quarterdeck/protocol'
import { RanTooLong, runBounded } from '../async/run-bounded.ts'
import type { ArgumentMatcher, ExpectedTool } from '../config/agent-tests.ts'

export interface ToolMatch {
  readonly expected: ExpectedTool
  readonly matched: boolean
  /** What is missing; `null` if it matched. */
  readonly reason: string | null
}

/** `notRun`: ids of calls that were refused or stopped. */
export const matchTools = (
  expected: readonly ExpectedTool[],
  calls: readonly ToolCallRecord[],
  notRun: ReadonlySet<string> = new Set(),
): readonly ToolMatch[] => expected.map((tool) => matchTool(tool, calls, notRun))

function matchTool(expected: ExpectedTool, calls: readonly ToolCallRecord[], notRun: ReadonlySet<string>): ToolMatch {
  const named = calls.filter(({ name }) => name.includes(expected.name))
  const asked = named.filter((call) => hasArguments(expected, call))
  const fitting = asked.filter(({ callId }) => !notRun.has(callId))
  if (fitting.length >= expected.count) return { expected, matched: true, reason: null }
  return {
    expected,
    matched: false,
    reason: missing(expected, {
      named: named.length,
      fitting: fitting.length,
      calls,
      refused: asked.length - fitting.length,
    }),
  }
}

const hasArguments = ({ args }: ExpectedTool, call: ToolCallRecord): boolean =>
  Object.entries(args).every(
    ([name, matcher]) => Object.hasOwn(call.arguments, name) && matchArgument(matcher, call.arguments[name]),
  )

function missing(
  { name, args, count }: ExpectedTool,
  found: {
    readonly named: number
    readonly fitting: number
    readonly refused: number
    readonly calls: readonly ToolCallRecord[]
  },
): string {
  const wanted = `expected ${count === 1 ? 'a call' : `at least ${count} calls`} of ${name}`
  if (found.named === 0) return `${wanted}; ${calledInstead(found.calls)}`
  if (found.refused > 0) {
    const fix = 'a test has no person to approve it, so add a rule to approvals.allow'
    return `${wanted}; ${found.refused === 1 ? 'one was' : `${found.refused} were`} denied or stopped: ${fix}`
  }
  const withArguments = Object.keys(args).length === 0 ? '' : ` with the expected ${Object.keys(args).join(', ')}`
  return `${wanted}${withArguments}; there ${found.fitting === 1 ? 'was 1' : `were ${found.fitting}`} of ${found.named}`
}

function calledInstead(calls: readonly ToolCallRecord[]): string {
  const names = [...new Set(calls.map(({ name }) => name))]
  return names.length === 0 ? 'no tool was called' : `called instead: ${names.slice(0, 10).join(', ')}`
}

/** Compares one argument of a tool call with its expected value. */
export function matchArgument(matcher: ArgumentMatcher, value: unknown): boolean {
  switch (matcher.type) {
    case 'literal':
      return isDeepStrictEqual(value, matcher.value)
    case 'fuzzy':
      return isAlike(matcher.text, asText(value))
    case 'regex':
      return isMatch(matcher.pattern, asText(value))
  }
}

const longestMatchMs = 500

/** A match that takes too long counts as no match: the pattern comes from the test, the text from the model. */
function isMatch(pattern: RegExp, text: string): boolean {
  try {
    return runBounded(() => pattern.test(text), longestMatchMs)
  } catch (error) {
    if (error instanceof RanTooLong) return false
    throw error
  }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

const numberTolerance = 1e-9

function isAlike(expected: string, actual: string): boolean {
  const [a, b] = [bare(expected), bare(actual)]
  if (a === b) return true
  const [x, y] = [numberIn(a), numberIn(b)]
  return x !== null && y !== null && Math.abs(x - y) <= numberTolerance
}

const bare = (text: string): string => text.trim().toLowerCase().replaceAll(/[,_ ]/g, '')

/** `5%` is 0.05. */
function numberIn(text: string): number | null {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%?)$/.exec(text)
  if (match === null) return null
  return Number(match[1]) / (match[2] === '%' ? 100 : 1)
}
