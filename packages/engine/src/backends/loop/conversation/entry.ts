// A conversation in a provider-neutral form, from which every wire translates. It is written to disk line by line and
// read back with these schemas.
import { InputImage, JsonObject, UserMessageId } from '@quarterdeck/protocol'
import { z } from 'zod'

/** One part of a model's message, in order. */
export const AnswerPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  /** Sent back exactly as received, with the provider's signature if there is one. */
  z.object({ type: z.literal('thinking'), text: z.string(), signature: z.string() }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.object({
    type: z.literal('call'),
    toolUseId: z.string(),
    toolName: z.string(),
    toolInput: JsonObject,
    /** The model's text if it was not a JSON object, otherwise `null`. */
    unreadable: z.string().nullable(),
  }),
])
export type AnswerPart = z.infer<typeof AnswerPart>
export type CallPart = Extract<AnswerPart, { type: 'call' }>

export const CallResult = z.object({
  toolUseId: z.string(),
  output: z.string(),
  isError: z.boolean(),
  images: z.array(InputImage),
})
export type CallResult = z.infer<typeof CallResult>

export const Entry = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('prompt'),
    messageId: UserMessageId.nullable(),
    text: z.string(),
    images: z.array(InputImage),
  }),
  z.object({ type: z.literal('answer'), messageId: z.string(), model: z.string(), parts: z.array(AnswerPart) }),
  z.object({ type: z.literal('results'), results: z.array(CallResult) }),
  /** A text for the model that no person wrote. */
  z.object({ type: z.literal('note'), text: z.string() }),
  /** From here on the model receives the summary instead of everything before the entry `firstKept`. */
  z.object({ type: z.literal('summary'), text: z.string(), firstKept: z.int().nonnegative() }),
])
export type Entry = z.infer<typeof Entry>

export const callsOf = (parts: readonly AnswerPart[]): readonly CallPart[] =>
  parts.filter((part) => part.type === 'call')

export const textOf = (parts: readonly AnswerPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

export const thinkingOf = (parts: readonly AnswerPart[]): string =>
  parts.map((part) => (part.type === 'thinking' ? part.text : '')).join('')

/** A text of the host in the position of a user message. */
export const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`
