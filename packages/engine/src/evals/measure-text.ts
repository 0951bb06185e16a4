// The metrics that compare an answer with the ground truth.
import type { ExecutionResult } from '@quarterdeck/protocol'
import type { TextMetric } from '../config/agent-tests.ts'
import { foldText } from './fold-text.ts'
import type { MetricResult } from './report.ts'
import { readResponsePath } from './response-path.ts'

/** Ground truth without any metric: it has to be somewhere in the answer, however it is spaced and capitalised. */
export const defaultMetric: TextMetric = {
  type: 'contains',
  name: 'contains',
  isEnabled: true,
  threshold: null,
  isCaseInsensitive: true,
  stripsWhitespace: true,
  stripsPunctuation: false,
  responsePath: null,
  failsOnError: false,
}

type Answered = Pick<ExecutionResult, 'response' | 'structuredOutput'>

export function measureText(metric: TextMetric, answered: Answered, groundTruth: string): MetricResult {
  const { name, threshold } = metric
  let text: string
  try {
    text = comparedText(answered, metric.responsePath)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { name, score: null, passed: false, threshold, reason, isBroken: true }
  }
  const [actual, expected] = [foldText(text, metric), foldText(groundTruth, metric)]
  const holds = metric.type === 'equality' ? actual === expected : actual.includes(expected)
  const score = holds ? 1 : 0
  const passed = threshold === null ? holds : score >= threshold
  return {
    name,
    score,
    passed,
    threshold,
    reason: passed ? null : sentence(metric, text, groundTruth),
    isBroken: false,
  }
}

/** Structured output is compared as the JSON it was given as. */
function comparedText({ response, structuredOutput }: Answered, path: string | null): string {
  if (path === null) return structuredOutput == null ? response : JSON.stringify(structuredOutput)
  const value = readResponsePath(structuredOutput ?? parsed(response, path), path)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function parsed(response: string, path: string): unknown {
  try {
    return JSON.parse(response)
  } catch {
    throw new Error(`response_path "${path}": the answer is not JSON`)
  }
}

function sentence({ type, responsePath }: TextMetric, actual: string, expected: string): string {
  const subject = responsePath === null ? 'the answer' : responsePath
  return type === 'equality'
    ? `${subject} is ${quoted(actual)}, expected ${quoted(expected)}`
    : `${quoted(expected)} is not in ${subject}: ${quoted(actual)}`
}

const longest = 200

const quoted = (text: string): string => JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text)
