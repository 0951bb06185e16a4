// The metrics that compare an answer with the ground truth.
import { type ExecutionResult, ellipsize, messageOf, parseJson } from '@quarterdeck/protocol'
import type { TextMetric } from '../config/agent-tests.ts'
import type { MetricResult } from './report.ts'

/** Used for ground truth without metrics: the answer must contain it, ignoring case and white space. */
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
    const reason = messageOf(error)
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

/** Structured output is compared as JSON. */
function comparedText({ response, structuredOutput }: Answered, path: string | null): string {
  if (path === null) return structuredOutput == null ? response : JSON.stringify(structuredOutput)
  const value = readResponsePath(structuredOutput ?? parsed(response, path), path)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function parsed(response: string, path: string): unknown {
  const value = parseJson(response)
  if (value === undefined) throw new Error(`response_path "${path}": the answer is not JSON`)
  return value
}

/** Reads `a.b[0].c` from a JSON answer. Throws if the answer has no value at that path. */
function readResponsePath(value: unknown, path: string): unknown {
  let current = value
  for (const step of stepsOf(path)) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) {
      throw new Error(`response_path "${path}": the answer has no value at this path`)
    }
    current = Reflect.get(current, step)
  }
  return current
}

const stepsOf = (path: string): readonly (string | number)[] =>
  [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name = '']) =>
    index === undefined ? name : Number(index),
  )

function foldText(text: string, metric: TextMetric): string {
  let folded = text.normalize('NFC')
  // Upper case first: letters with two lower-case forms (ß, ss; σ, ς) become equal.
  if (metric.isCaseInsensitive) folded = folded.toUpperCase().toLowerCase()
  if (metric.stripsPunctuation) folded = folded.replaceAll(/[\p{P}$+<=>^`|~]/gu, '')
  if (metric.stripsWhitespace) folded = folded.replaceAll(/\s+/gu, ' ').trim()
  return folded
}

function sentence({ type, responsePath }: TextMetric, actual: string, expected: string): string {
  const subject = responsePath === null ? 'the answer' : responsePath
  return type === 'equality'
    ? `${subject} is ${quoted(actual)}, expected ${quoted(expected)}`
    : `${quoted(expected)} is not in ${subject}: ${quoted(actual)}`
}

const longest = 200

const quoted = (text: string): string => JSON.stringify(ellipsize(text, longest))
