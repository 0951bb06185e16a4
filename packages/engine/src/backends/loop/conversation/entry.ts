// A conversation in our own words: what is kept of it, and what every wire translates from. Written to disk line by line,
// so it is read back with these schemas.
import { InputImage, JsonObject, UserMessageId } from '@quarterdeck/protocol'
import { z } from 'zod'

/** One piece of what a model said, in the order it said it. */
export const AnswerPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  /** Goes back exactly as it came, with the provider's signature where it gave one. */
  z.object({ type: z.literal('thinking'), text: z.string(), signature: z.string() }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.object({
    type: z.literal('call'),
    toolUseId: z.string(),
    toolName: z.string(),
    toolInput: JsonObject,
    /** What the model wrote where that was no JSON object; `null` where it was. */
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
  /** Words to the model that no person said. */
  z.object({ type: z.literal('note'), text: z.string() }),
  /** From here on the model is shown the summary instead of everything before the entry `firstKept`. */
  z.object({ type: z.literal('summary'), text: z.string(), firstKept: z.int().nonnegative() }),
])
export type Entry = z.infer<typeof Entry>

export const callsOf = (parts: readonly AnswerPart[]): readonly CallPart[] =>
  parts.filter((part) => part.type === 'call')

export const textOf = (parts: readonly AnswerPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

export const thinkingOf = (parts: readonly AnswerPart[]): string =>
  parts.map((part) => (part.type === 'thinking' ? part.text : '')).join('')

/** The host's own words in what stands where a person speaks. */
export const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`
