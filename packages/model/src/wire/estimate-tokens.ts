export const charactersPerToken = 4

/** About as many as a provider would count, for as long as none has. */
export const estimateTokens = (characters: number): number => Math.ceil(characters / charactersPerToken)
