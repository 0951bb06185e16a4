// The size of a test: small in every run, full size in `npm run soak`.
import { appendFile } from 'node:fs/promises'

export const isSoak = process.env.SOAK === '1'

/** `scale(10, 1000)`: ten in CI, a thousand in the soak. */
export const scale = <Amount>(inCi: Amount, inSoak: Amount): Amount => (isSoak ? inSoak : inCi)

/** The file for measurements. The soak sets it for the tests it runs. */
const factsVariable = 'SOAK_FACTS'

/** Adds a measurement to the soak's report. Does nothing outside of the soak. */
export async function reportFacts(what: string, facts: Readonly<Record<string, string | number>>): Promise<void> {
  const file = process.env[factsVariable]
  if (file !== undefined) await appendFile(file, `${JSON.stringify({ what, facts })}\n`)
}
