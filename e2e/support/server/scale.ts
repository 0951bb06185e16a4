// How much of a thing a test does: enough to show it in every run, or as much as was promised in `npm run soak`.
import { appendFile } from 'node:fs/promises'

export const isSoak = process.env.SOAK === '1'

/** `scale(10, 1000)`: ten in CI, a thousand in the soak. */
export const scale = <Amount>(inCi: Amount, inSoak: Amount): Amount => (isSoak ? inSoak : inCi)

/** Where the soak wants to hear what was measured; it sets this for the tests it runs. */
const factsVariable = 'SOAK_FACTS'

/** Tells the soak's report what was done and measured; says nothing outside of it. */
export async function reportFacts(what: string, facts: Readonly<Record<string, string | number>>): Promise<void> {
  const file = process.env[factsVariable]
  if (file !== undefined) await appendFile(file, `${JSON.stringify({ what, facts })}\n`)
}
