// One attempt at an answer. Text is forwarded as it arrives, and the text of a broken attempt is reported as discarded.
import { draft, estimateTokens, type RequestUse } from '@quarterdeck/protocol'
import type { WireListener, WireRequest } from '../wire/model-wire.ts'
import { brokenFailure, overlongFailure, WireFailure } from '../wire/wire-failure.ts'
import type { LoopRetryPolicy } from './loop-retry-policy.ts'
import type { ModelAnswer, ModelRequester, RequestListener } from './model-requester.ts'

export interface AnswerListener extends RequestListener {
  onBegun(use: RequestUse): void
}

export type AnswerOutcome =
  | { readonly type: 'answer'; readonly answer: ModelAnswer }
  /** `partial`: the usage until it broke off; `null` if the answer had not begun. */
  | { readonly type: 'failure'; readonly failure: WireFailure; readonly partial: RequestUse | null }

/** Characters of one answer, including thinking and arguments. Far more than any model returns at once. */
const longestAnswer = 8_000_000

export async function readAnswerStream(
  { wire, retryPolicy }: Pick<ModelRequester, 'wire' | 'retryPolicy'>,
  request: WireRequest,
  { emit, signal, onBegun }: AnswerListener,
): Promise<AnswerOutcome> {
  const silence = watchSilence(retryPolicy)
  const streamedSoFar: StreamedSoFar = { use: null, text: '', characters: 0 }
  const wrote = (characters: number): void => {
    streamedSoFar.characters += characters
    if (streamedSoFar.characters > longestAnswer)
      throw overlongFailure(`${longestAnswer / 1_000_000} million characters`)
  }
  const listener: WireListener = {
    signal: AbortSignal.any([signal, silence.signal]),
    alive: silence.received,
    begun({ messageId, servedModel, tokens }) {
      streamedSoFar.use = { apiMessageId: messageId, requestedModel: request.model, servedModel, tokens }
      onBegun(streamedSoFar.use)
    },
    streamed(kind, text) {
      wrote(text.length)
      if (kind === 'text') streamedSoFar.text += text
      const messageId = streamedSoFar.use?.apiMessageId ?? ''
      const drained = emit({ type: 'AgentStreamToken', agent: null, data: { text, messageId, kind } })
      return drained === null ? null : silence.pausedFor(drained)
    },
    wrote,
  }
  try {
    const answer = await wire.ask(request, listener)
    if (streamedSoFar.use === null) throw new WireFailure('the answer ended before it began', { isRetryable: true })
    const { apiMessageId: messageId, servedModel } = streamedSoFar.use
    return { type: 'answer', answer: { ...answer, messageId, model: request.model, servedModel } }
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error
    const failure = silence.signal.aborted ? brokenFailure(silence.signal.reason) : error
    await emitDiscarded(streamedSoFar, failure, { emit, signal })
    return { type: 'failure', failure, partial: estimatedUse(streamedSoFar) }
  } finally {
    silence.end()
  }
}

/** The state of the stream. */
interface StreamedSoFar {
  use: RequestUse | null
  text: string
  characters: number
}

/** Clients saw the text, but it never becomes a message. */
async function emitDiscarded(
  { use, text }: StreamedSoFar,
  failure: WireFailure,
  { emit, signal }: RequestListener,
): Promise<void> {
  if (use === null || text === '') return
  const cause = failure.facts.isRetryable ? 'the stream broke and the request was sent again' : failure.message
  const reason = signal.aborted ? 'interrupted' : cause
  await emit(draft('AgentStreamDiscarded', { text, messageId: use.apiMessageId, reason }))
}

/** The final message would have had the exact counts. */
function estimatedUse({ use, characters }: StreamedSoFar): RequestUse | null {
  if (use === null) return null
  const output = Math.max(use.tokens.output, estimateTokens(characters))
  return { ...use, tokens: { ...use.tokens, output, isOutputEstimated: true } }
}

const checks = 10

/** A timer per chunk would cost more than the chunk, so an interval checks whether any arrived. */
function watchSilence({ firstByteMs, silenceMs }: Pick<LoopRetryPolicy, 'firstByteMs' | 'silenceMs'>) {
  const controller = new AbortController()
  let silentChecks = 0
  /** How many callers wait for a slow reader: the provider is then not silent. */
  let waiting = 0
  let hasBegun = false
  const watch = (limitMs: number) =>
    setInterval(() => {
      silentChecks = waiting > 0 ? 0 : silentChecks + 1
      if (silentChecks >= checks) controller.abort(new Error(`no data for ${Math.round(limitMs / 1000)} seconds`))
    }, limitMs / checks)
  let timer = watch(firstByteMs)
  return {
    signal: controller.signal,
    received() {
      silentChecks = 0
      if (hasBegun) return
      hasBegun = true
      clearInterval(timer)
      timer = watch(silenceMs)
    },
    async pausedFor(drained: Promise<void>): Promise<void> {
      waiting += 1
      try {
        await drained
      } finally {
        waiting -= 1
        silentChecks = 0
      }
    },
    end: () => clearInterval(timer),
  }
}
