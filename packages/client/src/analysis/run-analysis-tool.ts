// Runs the caller's function for one call of an analysis and returns the result, through any outage.

import {
  type AnalysisEvent,
  type ErrorCode,
  ellipsize,
  isQuarterdeckError,
  type JsonObject,
  sleep,
  type ToolResultBody,
} from '@quarterdeck/protocol'
import type { Backoff } from '../http/backoff.ts'
import { isOutage } from '../http/refusal.ts'

/** The return value is the result, any JSON. The model gets a thrown error. */
export type AnalysisTool = (input: JsonObject, call: AnalysisToolCall) => unknown

export interface AnalysisToolCall {
  readonly id: string
  readonly signal: AbortSignal
  /**
   * For results whose permission may end: asked before each attempt to return the result or the error, even after an
   * outage. If it returns false, the tool runs again for the same call.
   */
  readonly onlyWhile: (mayReturn: () => boolean) => void
}

export type CalledTool = Extract<AnalysisEvent, { type: 'tool_call' }>

type Given = Pick<ToolResultBody, 'result' | 'error'>

export interface ToolRun {
  readonly tools: Readonly<Record<string, AnalysisTool>>
  readonly returnResult: (given: Given) => Promise<unknown>
  /** A parked analysis takes results only after it was woken. */
  readonly wake: () => Promise<unknown>
  readonly signal: AbortSignal
  readonly backoff: Backoff
}

/** Resolves with whether the call is settled. */
export async function runAnalysisTool(run: ToolRun, call: CalledTool): Promise<boolean> {
  let outcome: Outcome = 'outdated'
  for (let runs = 0; outcome === 'outdated' && runs < mostRuns; runs += 1) {
    outcome = await returnResult(run, await runOnce(run, call))
  }
  if (outcome === 'settled') return true
  // The model waits for this call, so it gets an explanation instead of the result.
  const why = outcome === 'outdated' ? 'the permission to return it changed too often' : outcome.message
  const error = ellipsize(`the result could not be returned: ${why}`, errorLimit)
  return (await returnResult(run, { given: { error }, mayReturn: always })) === 'settled'
}

/** Permissions change now and then; one that changes every time would run forever. */
const mostRuns = 10

interface Made {
  readonly given: Given
  readonly mayReturn: () => boolean
}

const always = (): boolean => true

async function runOnce({ tools, signal }: ToolRun, { id, name, input }: CalledTool): Promise<Made> {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  let mayReturn = always
  const onlyWhile = (said: () => boolean): void => {
    mayReturn = said
  }
  const given = await attempt(() => {
    if (tool === undefined) throw new Error(`there is no tool "${name}" here`)
    return tool(input, { id, signal, onlyWhile })
  })
  return { given, mayReturn }
}

/** `settled` if the result was taken or is no longer wanted, otherwise the server's permanent refusal. */
type Outcome = 'settled' | 'outdated' | { readonly message: string }

/** Another client has returned a result, or the call ended with its session. */
const settled: readonly ErrorCode[] = ['client-call.already-returned', 'client-call.not-found', 'session.not-found']

async function returnResult(
  { returnResult, wake, signal, backoff }: ToolRun,
  { given, mayReturn }: Made,
): Promise<Outcome> {
  while (!signal.aborted) {
    try {
      if (!mayReturn()) return 'outdated'
      await returnResult(given)
      return 'settled'
    } catch (error) {
      if (isQuarterdeckError(error, 'analysis.expired'))
        await wake().catch(() => undefined) // retried below
      else if (isQuarterdeckError(error) && !isOutage(error)) return settled.includes(error.code) ? 'settled' : error
      await sleep(backoff.next(), signal)
    }
  }
  return 'settled'
}

async function attempt(run: () => unknown): Promise<Given> {
  try {
    return { result: plain(await run()) }
  } catch (error) {
    return { error: ellipsize(wordsOf(error), errorLimit) }
  }
}

/** Any value can be thrown, even one that cannot be converted to text. */
function wordsOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return 'the tool threw a value that cannot be shown'
  }
}

/** Databases return BigInt, which JSON does not have: it becomes a number if that is exact, otherwise its digits. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? numberOf(one) : one))
  return text === undefined ? null : JSON.parse(text)
}

const numberOf = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()

/** In characters: more than a model needs of an error, less than the server's limit. */
const errorLimit = 20_000
