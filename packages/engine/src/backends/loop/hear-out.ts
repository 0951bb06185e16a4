// One attempt at an answer: its words are passed on as they come, and what was seen of one that broke off is told.
import { draft } from '@quarterdeck/protocol'
import type { RequestUse } from '../backend.ts'
import type { Answer, Listener, ModelAsker } from './ask-model.ts'
import { tokensOf } from './estimate-tokens.ts'
import type { Patience } from './retry-plan.ts'
import type { WireEar, WireRequest } from './wire/model-wire.ts'
import { brokenFailure, overlongFailure, WireFailure } from './wire/wire-failure.ts'

export interface Attentive extends Listener {
  onBegun(use: RequestUse): void
}

export type HeardOut =
  | { readonly type: 'answer'; readonly answer: Answer }
  /** `partial`: what had been used when it broke off; `null` when it had not begun. */
  | { readonly type: 'failure'; readonly failure: WireFailure; readonly partial: RequestUse | null }

/** Letters of one answer, its thoughts and arguments among them: many times what any model may say at once. */
const longestAnswer = 8_000_000

export async function hearOut(
  { wire, patience }: Pick<ModelAsker, 'wire' | 'patience'>,
  request: WireRequest,
  { tell, signal, onBegun }: Attentive,
): Promise<HeardOut> {
  const silence = watchSilence(patience)
  const seen: Seen = { use: null, text: '', letters: 0 }
  const wrote = (letters: number): void => {
    seen.letters += letters
    if (seen.letters > longestAnswer) throw overlongFailure(`${longestAnswer / 1_000_000} million letters`)
  }
  const ear: WireEar = {
    signal: AbortSignal.any([signal, silence.signal]),
    alive: silence.heard,
    begun({ messageId, servedModel, tokens }) {
      seen.use = { apiMessageId: messageId, requestedModel: request.model, servedModel, tokens }
      onBegun(seen.use)
    },
    said(kind, text) {
      wrote(text.length)
      if (kind === 'text') seen.text += text
      const messageId = seen.use?.apiMessageId ?? ''
      const room = tell({ type: 'AgentStreamToken', agent: null, data: { text, messageId, kind } })
      return room === null ? null : silence.pausedFor(room)
    },
    wrote,
  }
  try {
    const answer = await wire.ask(request, ear)
    if (seen.use === null) throw new WireFailure('the answer ended before it began', { isRetryable: true })
    const { apiMessageId: messageId, servedModel } = seen.use
    return { type: 'answer', answer: { ...answer, messageId, model: request.model, servedModel } }
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error
    const failure = silence.signal.aborted ? brokenFailure(silence.signal.reason) : error
    await tellDiscarded(seen, failure, { tell, signal })
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
async function tellDiscarded({ use, text }: Seen, failure: WireFailure, { tell, signal }: Listener): Promise<void> {
  if (use === null || text === '') return
  const broke = failure.facts.isRetryable ? 'the stream broke and the request was sent again' : failure.message
  const reason = signal.aborted ? 'interrupted' : broke
  await tell(draft('AgentStreamDiscarded', { text, messageId: use.apiMessageId, reason }))
}

/** Its end would have told how much it was. */
function guessed({ use, letters }: Seen): RequestUse | null {
  if (use === null) return null
  const output = Math.max(use.tokens.output, tokensOf(letters))
  return { ...use, tokens: { ...use.tokens, output, isOutputEstimated: true } }
}

const looks = 10

/** A timer for each piece of an answer would cost more than the piece: one looks now and then whether any came. */
function watchSilence({ firstByteMs, silenceMs }: Pick<Patience, 'firstByteMs' | 'silenceMs'>) {
  const controller = new AbortController()
  let silentLooks = 0
  /** How many wait for us: a provider whose words we do not take is not silent. */
  let waiting = 0
  let hasBegun = false
  const watch = (limitMs: number) =>
    setInterval(() => {
      silentLooks = waiting > 0 ? 0 : silentLooks + 1
      if (silentLooks >= looks) controller.abort(new Error(`nothing came for ${Math.round(limitMs / 1000)} seconds`))
    }, limitMs / looks)
  let timer = watch(firstByteMs)
  return {
    signal: controller.signal,
    heard() {
      silentLooks = 0
      if (hasBegun) return
      hasBegun = true
      clearInterval(timer)
      timer = watch(silenceMs)
    },
    async pausedFor(room: Promise<void>): Promise<void> {
      waiting += 1
      try {
        await room
      } finally {
        waiting -= 1
        silentLooks = 0
      }
    },
    end: () => clearInterval(timer),
  }
}
