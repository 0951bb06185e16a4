// One call of an analysis: the caller's function is run, and what it gives is returned, through any outage.
import type { AnalysisEvent, JsonObject, ToolResultBody } from '@quarterdeck/protocol'
import { cutText, type ErrorCode, isQuarterdeckError } from '@quarterdeck/protocol'
import { type Backoff, wait } from '../http/backoff.ts'
import { isOutage } from '../http/is-outage.ts'

/** What it gives is the result, any JSON; what it throws is an error that the model hears of. */
export type AnalysisTool = (input: JsonObject, call: AnalysisToolCall) => unknown

export interface AnalysisToolCall {
  readonly id: string
  readonly signal: AbortSignal
  /**
   * For what may be true for a while only: asked before each try to return the result, or the error, also after an
   * outage. Where it says no, that is not returned and the tool runs again, for the same call.
   */
  readonly onlyWhile: (mayReturn: () => boolean) => void
}

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
export async function runAnalysisTool(run: ToolRun, call: CalledTool): Promise<boolean> {
  let outcome: Outcome = 'outdated'
  for (let runs = 0; outcome === 'outdated' && runs < mostRuns; runs += 1) {
    outcome = await giveBack(run, await runOnce(run, call))
  }
  if (outcome === 'settled') return true
  // The model waits for something: that there is a result which cannot be sent is a result too.
  const why = outcome === 'outdated' ? 'what may be returned changed too often' : outcome.message
  const error = shorten(`the result could not be returned: ${why}`)
  return (await giveBack(run, { given: { error }, mayReturn: always })) === 'settled'
}

/** Somebody changes their mind now and then; what changes each time would run for ever. */
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

/** `settled`: it was taken, or nobody wants it any more. Else what the server refuses for good. */
type Outcome = 'settled' | 'outdated' | { readonly message: string }

/** Somebody else has returned it, or it is gone with what it belonged to. */
const settled: readonly ErrorCode[] = ['client-call.already-returned', 'client-call.not-found', 'session.not-found']

async function giveBack({ giveBack, wake, signal, backoff }: ToolRun, { given, mayReturn }: Made): Promise<Outcome> {
  while (!signal.aborted) {
    try {
      if (!mayReturn()) return 'outdated'
      await giveBack(given)
      return 'settled'
    } catch (error) {
      if (isQuarterdeckError(error, 'analysis.expired'))
        await wake().catch(() => undefined) // tried again
      else if (isQuarterdeckError(error) && !isOutage(error)) return settled.includes(error.code) ? 'settled' : error
      await wait(backoff.next(), signal)
    }
  }
  return 'settled'
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
