// One attempt at an answer: its words are passed on as they come, and what was seen of one that broke off is told.
import { draft } from '@quarterdeck/protocol'
import type { RequestUse } from '../../backend.ts'
import { tokensOf } from '../conversation/estimate-tokens.ts'
import type { WireListener, WireRequest } from '../wire/model-wire.ts'
import { brokenFailure, overlongFailure, WireFailure } from '../wire/wire-failure.ts'
import type { ModelAnswer, ModelAsker, RequestListener } from './ask-model.ts'
import type { LoopRetryPolicy } from './retry-policy.ts'

export interface AnswerListener extends RequestListener {
  onBegun(use: RequestUse): void
}

export type AnswerOutcome =
  | { readonly type: 'answer'; readonly answer: ModelAnswer }
  /** `partial`: what had been used when it broke off; `null` when it had not begun. */
  | { readonly type: 'failure'; readonly failure: WireFailure; readonly partial: RequestUse | null }

/** Letters of one answer, its thoughts and arguments among them: many times what any model may say at once. */
const longestAnswer = 8_000_000

export async function readAnswerStream(
  { wire, retryPolicy }: Pick<ModelAsker, 'wire' | 'retryPolicy'>,
  request: WireRequest,
  { emit, signal, onBegun }: AnswerListener,
): Promise<AnswerOutcome> {
  const silence = watchSilence(retryPolicy)
  const streamedSoFar: StreamedSoFar = { use: null, text: '', characters: 0 }
  const wrote = (characters: number): void => {
    streamedSoFar.characters += characters
    if (streamedSoFar.characters > longestAnswer) throw overlongFailure(`${longestAnswer / 1_000_000} million letters`)
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

/** What has come so far. */
interface StreamedSoFar {
  use: RequestUse | null
  text: string
  characters: number
}

/** A person saw it, and it never becomes a message. */
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

/** Its end would have told how much it was. */
function estimatedUse({ use, characters }: StreamedSoFar): RequestUse | null {
  if (use === null) return null
  const output = Math.max(use.tokens.output, tokensOf(characters))
  return { ...use, tokens: { ...use.tokens, output, isOutputEstimated: true } }
}

const checks = 10

/** A timer for each piece of an answer would cost more than the piece: one looks now and then whether any came. */
function watchSilence({ firstByteMs, silenceMs }: Pick<LoopRetryPolicy, 'firstByteMs' | 'silenceMs'>) {
  const controller = new AbortController()
  let silentChecks = 0
  /** How many wait for us: a provider whose words we do not take is not silent. */
  let waiting = 0
  let hasBegun = false
  const watch = (limitMs: number) =>
    setInterval(() => {
      silentChecks = waiting > 0 ? 0 : silentChecks + 1
      if (silentChecks >= checks) controller.abort(new Error(`nothing came for ${Math.round(limitMs / 1000)} seconds`))
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
