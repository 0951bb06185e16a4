// The part of an embeddings request that we read, with the documented bounds of the API.
import { z } from 'zod'

const tokens = z.array(z.int().nonnegative()).min(1)
const text = z.string().min(1, 'input cannot be an empty string')

export const EmbeddingsRequest = z.looseObject({
  model: z.string().min(1),
  /** Texts, or texts as tokens. */
  input: z.union([text, tokens, z.array(text).min(1).max(2048), z.array(tokens).min(1).max(2048)]),
  dimensions: z.int().min(1).max(3072).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
})
export type EmbeddingsRequest = z.infer<typeof EmbeddingsRequest>

export function inputsOf({ input }: EmbeddingsRequest): readonly string[] {
  if (typeof input === 'string') return [input]
  if (isTokens(input)) return [input.join(' ')]
  return input.map((one) => (typeof one === 'string' ? one : one.join(' ')))
}

const isTokens = (input: readonly unknown[]): input is readonly number[] => typeof input[0] === 'number'
