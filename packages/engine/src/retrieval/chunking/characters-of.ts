// An estimate that needs no tokenizer: four characters are about a token in Western text.

const charactersPerToken = 4

export const charactersOf = (tokens: number): number => tokens * charactersPerToken
