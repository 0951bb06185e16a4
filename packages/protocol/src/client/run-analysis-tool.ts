// One call of an analysis: the caller's function is run, and what it gives is returned, through any outage.
import type { AnalysisEvent } from '../analyze/analysis-event.ts'
import type { ToolResultBody } from '../analyze/analyze-body.ts'
import { type ErrorCode, isQuarterdeckError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import { cutText } from '../whole-text.ts'
import { type Backoff, wait } from './backoff.ts'
import { isOutage } from './is-outage.ts'

/** What it gives is the result, any JSON; what it throws is an error that the model hears of. */
export type AnalysisTool = (input: JsonObject, call: { readonly id: string; readonly signal: AbortSignal }) => unknown

export type CalledTool = Extract<AnalysisEvent, { type: 'tool_call' }>

type Given = Pick<ToolResultBody, 'result' | 'error'>

export interface ToolRun {
  readonly tools: Readonly<Record<string, AnalysisTool>>
  readonly giveBack: (given: Given) => Promise<unknown>
  /** Nobody was there for a while: the analysis takes no result before it is woken. */
  readonly wake: () => Promise<unknown>
  readonly signal: AbortSignal
  readonly backoff: Backoff
}

/** Resolves with whether the call is settled. */
export async function runAnalysisTool(run: ToolRun, { id, name, input }: CalledTool): Promise<boolean> {
  const tool = Object.hasOwn(run.tools, name) ? run.tools[name] : undefined
  const given = await attempt(() => {
    if (tool === undefined) throw new Error(`there is no tool "${name}" here`)
    return tool(input, { id, signal: run.signal })
  })
  const refusal = await giveBack(run, given)
  if (refusal === null || settled.includes(refusal.code)) return true
  // The model waits for something: that there is a result which cannot be sent is a result too.
  const second = await giveBack(run, { error: shorten(`the result could not be returned: ${refusal.message}`) })
  return second === null || settled.includes(second.code)
}

/** Somebody else has returned it, or it is gone with what it belonged to. */
const settled: readonly ErrorCode[] = ['client-call.already-returned', 'client-call.not-found', 'session.not-found']

interface Refusal {
  readonly code: ErrorCode
  readonly message: string
}

/** What the server refuses for good; `null` when it was taken, or when nobody wants it any more. */
async function giveBack({ giveBack, wake, signal, backoff }: ToolRun, given: Given): Promise<Refusal | null> {
  while (!signal.aborted) {
    try {
      await giveBack(given)
      return null
    } catch (error) {
      if (isQuarterdeckError(error, 'analysis.expired'))
        await wake().catch(() => undefined) // tried again
      else if (isQuarterdeckError(error) && !isOutage(error)) return error
      await wait(backoff.next(), signal)
    }
  }
  return null
}

async function attempt(run: () => unknown): Promise<Given> {
  try {
    return { result: plain(await run()) }
  } catch (error) {
    return { error: shorten(wordsOf(error)) }
  }
}

/** Anything can be thrown, also what cannot be made a text. */
function wordsOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return 'the tool threw something that has no words'
  }
}

/** As JSON has it. Databases count in BigInt, which JSON does not know: a number where that is exact, else its digits. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? numberOf(one) : one))
  return text === undefined ? null : JSON.parse(text)
}

const numberOf = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()

/** Letters: more than a model reads of an error, less than a server takes. */
const errorLimit = 20_000

const shorten = (text: string): string => (text.length <= errorLimit ? text : `${cutText(text, errorLimit)}…`)
