// An estimate that needs no tokenizer: four characters are about a token in Western text.

const charactersPerToken = 4

export const countTokens = (text: string): number => Math.ceil(text.length / charactersPerToken)

export const charactersOf = (tokens: number): number => tokens * charactersPerToken
