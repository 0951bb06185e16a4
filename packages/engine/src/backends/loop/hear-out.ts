// One attempt at an answer: its words are passed on as they come, and what was seen of one that broke off is told.
import { draft } from '@quarterdeck/protocol'
import type { RequestUse } from '../backend.ts'
import type { Answer, Listener, ModelAsker } from './ask-model.ts'
import type { WireEar, WireRequest } from './wire/model-wire.ts'
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
  const seen: Seen = { use: null, text: '', letters: 0 }
  const ear: WireEar = {
    signal: AbortSignal.any([signal, silence.signal]),
    alive: silence.heard,
    begun({ messageId, servedModel, tokens }) {
      seen.use = { apiMessageId: messageId, requestedModel: request.model, servedModel, tokens }
      onBegun(seen.use)
    },
    said(kind, text) {
      seen.letters += text.length
      if (kind === 'text') seen.text += text
      const messageId = seen.use?.apiMessageId ?? ''
      return tell({ type: 'AgentStreamToken', agent: null, data: { text, messageId, kind } })
    },
  }
  try {
    const answer = await wire.ask(request, ear)
    if (seen.use === null) throw new WireFailure('the answer ended before it began', { isRetryable: true })
    const { apiMessageId: messageId, servedModel } = seen.use
    return { type: 'answer', answer: { ...answer, messageId, model: request.model, servedModel } }
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error
    await tellDiscarded(seen, { tell, signal })
    const failure = silence.signal.aborted ? brokenFailure(new Error(silentWords(patience.silenceMs))) : error
    return { type: 'failure', failure, partial: guessed(seen) }
  } finally {
    silence.end()
  }
}

/** What has come so far. */
interface Seen {
  use: RequestUse | null
  text: string
  letters: number
}

/** A person saw it, and it never becomes a message. */
async function tellDiscarded({ use, text }: Seen, { tell, signal }: Listener): Promise<void> {
  if (use === null || text === '') return
  const reason = signal.aborted ? 'interrupted' : 'the stream broke and the request was sent again'
  await tell(draft('AgentStreamDiscarded', { text, messageId: use.apiMessageId, reason }))
}

const silentWords = (ms: number): string => `nothing came for ${Math.round(ms / 1000)} seconds`

/** Its end would have told how much it was. */
function guessed({ use, letters }: Seen): RequestUse | null {
  if (use === null) return null
  const output = Math.max(use.tokens.output, Math.ceil(letters / 4))
  return { ...use, tokens: { ...use.tokens, output, isOutputEstimated: true } }
}

const looks = 10

/** A timer for each piece of an answer would cost more than the piece: one looks now and then whether any came. */
function watchSilence(limitMs: number) {
  const controller = new AbortController()
  let silentLooks = 0
  const timer = setInterval(() => {
    silentLooks += 1
    if (silentLooks >= looks) controller.abort()
  }, limitMs / looks)
  return {
    signal: controller.signal,
    heard() {
      silentLooks = 0
    },
    end: () => clearInterval(timer),
  }
}
