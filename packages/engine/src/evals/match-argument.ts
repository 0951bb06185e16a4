// Compares one argument of a tool call with its expected value.
import { isDeepStrictEqual } from 'node:util'
import { RanTooLong, runBounded } from '../async/run-bounded.ts'
import type { ArgumentMatcher } from '../config/agent-tests.ts'

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
