// The schema of a module's function: `parameters` exported next to it or set on it, as zod or as JSON Schema.
import type { z } from 'zod'

export interface Parameters {
  /** JSON Schema. */
  readonly schema: object
  /** The arguments for the function, or what is wrong with the input. The caller validates a plain JSON Schema. */
  check(input: object): Promise<{ readonly input: unknown } | { readonly problem: string }>
}

export async function findParameters(
  module: Readonly<Record<string, unknown>>,
  run: object,
): Promise<Parameters | null> {
  const given = ('parameters' in run ? run.parameters : undefined) ?? module.parameters
  if (given === undefined || given === null) return null
  if (typeof given !== 'object') throw new Error('`parameters` is neither a zod schema nor a JSON Schema')
  if (!('safeParseAsync' in given)) return { schema: given, check: async (input) => ({ input }) }
  if (!('_zod' in given)) throw new Error('`parameters` is a schema of zod 3: use zod 4 or a JSON Schema')
  const schema = given as z.ZodType // the marker of zod 4, whichever copy of zod created it
  const { toJSONSchema } = await import('zod')
  return {
    schema: toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
    async check(input) {
      const parsed = await schema.safeParseAsync(input)
      return parsed.success ? { input: parsed.data } : { problem: problemOf(parsed.error) }
    },
  }
}

const problemOf = ({ issues }: z.ZodError): string => {
  const found = issues.map(({ path, message }) => `${path.length === 0 ? 'the input' : path.join('.')}: ${message}`)
  return `The input is not valid. ${found.join('; ')}. Call it again with a valid input.`
}
