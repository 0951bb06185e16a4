/** Characters of one result: more would push the conversation out of the model's context. */
export const longestOutput = 200_000

export const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${beginningOf(text, longest)}\n… cut here: ${text.length - longest} more characters.`

/** Like `cutText`, which a worker process cannot import: without half of a surrogate pair, which providers refuse. */
export const beginningOf = (text: string, longest: number): string =>
  text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')
