/** An estimate without a tokenizer, for Western text. */
export const charactersPerToken = 4

/** An approximation until the provider has counted. */
export const estimateTokens = (characters: number): number => Math.ceil(characters / charactersPerToken)

/** The length of a text of about so many tokens. */
export const estimateCharacters = (tokens: number): number => Math.floor(tokens) * charactersPerToken
