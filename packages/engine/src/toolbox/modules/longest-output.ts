/** Characters of one result: more would push the conversation out of the model's context. */
export const longestOutput = 200_000

export const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}\n… cut here: ${text.length - longest} more characters.`
