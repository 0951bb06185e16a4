// One attempt at an answer: its words are passed on as they come, and what was seen of one that broke off is told.
import { draft } from '@quarterdeck/protocol'
import type { RequestUse } from '../backend.ts'
import type { Answer, Listener, ModelAsker } from './ask-model.ts'
import type { WireRequest } from './wire/model-wire.ts'
import { brokenFailure, WireFailure } from './wire/wire-failure.ts'

export interface Attentive extends Listener {
  onBegun(use: RequestUse): void
}

export type HeardOut =
  | { readonly type: 'answer'; readonly answer: Answer }
  /** `partial`: what had been used when it broke off; `null` when it had not begun. */
  | { readonly type: 'failure'; readonly failure: WireFailure; readonly partial: RequestUse | null }

export async function hearOut(
  { wire, patience }: Pick<ModelAsker, 'wire' | 'patience'>,
  request: WireRequest,
  { tell, signal, onBegun }: Attentive,
): Promise<HeardOut> {
  const silence = watchSilence(patience.silenceMs)
  const stop = AbortSignal.any([signal, silence.signal])
  let use: RequestUse | null = null
  let text = ''
  let letters = 0
  try {
    for await (const delta of wire.ask(request, stop)) {
      silence.heard()
      switch (delta.type) {
        case 'begun': {
          const { messageId, servedModel, tokens } = delta
          use = { apiMessageId: messageId, requestedModel: request.model, servedModel, tokens }
          onBegun(use)
          break
        }
        case 'ended': {
          if (use === null) throw new WireFailure('the answer ended before it began', { isRetryable: true })
          const { apiMessageId: messageId, servedModel } = use
          return { type: 'answer', answer: { ...delta.answer, messageId, model: request.model, servedModel } }
        }
        default: {
          letters += delta.text.length
          if (delta.type === 'text') text += delta.text
          const messageId = use?.apiMessageId ?? ''
          await tell({ type: 'AgentStreamToken', agent: null, data: { text: delta.text, messageId, kind: delta.type } })
        }
      }
    }
    throw new WireFailure('the answer broke off', { isRetryable: true })
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error
    if (use !== null && text !== '') {
      const reason = signal.aborted ? 'interrupted' : 'the stream broke and the request was sent again'
      await tell(draft('AgentStreamDiscarded', { text, messageId: use.apiMessageId, reason }))
    }
    const failure = silence.signal.aborted ? brokenFailure(new Error(silentWords(patience.silenceMs))) : error
    return { type: 'failure', failure, partial: use === null ? null : guessed(use, letters) }
  } finally {
    silence.end()
  }
}

const silentWords = (ms: number): string => `nothing came for ${Math.round(ms / 1000)} seconds`

/** Its end would have told how much it was. */
const guessed = (use: RequestUse, letters: number): RequestUse => ({
  ...use,
  tokens: { ...use.tokens, output: Math.max(use.tokens.output, Math.ceil(letters / 4)), isOutputEstimated: true },
})

/** A timer for each piece of an answer would cost more than the piece: one looks now and then. */
function watchSilence(limitMs: number) {
  const controller = new AbortController()
  let lastAt = performance.now()
  const timer = setInterval(
    () => {
      if (performance.now() - lastAt >= limitMs) controller.abort()
    },
    Math.max(10, limitMs / 10),
  )
  return {
    signal: controller.signal,
    heard() {
      lastAt = performance.now()
    },
    end: () => clearInterval(timer),
  }
}
