// The inputs of browser tools, checked where they run. Models sometimes write numbers as text, and a step by its name:
// both are accepted. Unknown keys are ignored.
import { z } from 'zod'

const Thought = z.string().max(20_000).catch('')
const Sql = z.string().min(1, 'must not be empty').max(100_000)
const Named = z.string().min(1, 'must not be empty').max(500)

/** `3`, `"3"`, `"step_3"`. */
const StepNumber = z.preprocess(
  (value) => (typeof value === 'string' ? Number(value.trim().replace(/^step[_ ]?/i, '')) : value),
  z.int('must be the number of a step').positive('must be the number of a step'),
)

const limitOf = (usual: number, most: number) =>
  z.coerce
    .number('must be a number')
    .catch(usual)
    .transform((limit) => (Number.isFinite(limit) && limit >= 1 ? Math.min(Math.floor(limit), most) : usual))
    .prefault(usual)

const optionalName = z.preprocess((value) => (value === null || value === '' ? undefined : value), Named.optional())

export const toolInputs = {
  run_query: z.object({ thought: Thought, sql: Sql }),
  get_column_stats: z.object({ thought: Thought, column: Named, table: optionalName }),
  get_value_distribution: z.object({ thought: Thought, column: Named, table: optionalName, limit: limitOf(10, 100) }),
  transform_data: z.object({ thought: Thought, code: Sql, sourceStep: StepNumber }),
  list_tables: z.object({ thought: Thought }),
  sample_rows: z.object({ thought: Thought, table: Named, limit: limitOf(5, 50) }),
  ask_user: z.object({
    question: z.string().min(1, 'must not be empty').max(5000),
    options: z
      .array(z.coerce.string().max(500))
      .catch([])
      .transform((options) => options.slice(0, 6))
      .prefault([]),
  }),
}

export type ToolInput<Name extends keyof typeof toolInputs> = z.infer<(typeof toolInputs)[Name]>

export type BrowserTool = keyof typeof toolInputs

/** The input, or a sentence for the model that names its problem. */
export function readToolInput<Name extends BrowserTool>(
  name: Name,
  input: unknown,
): { readonly input: ToolInput<Name> } | { readonly problem: string } {
  const read = toolInputs[name].safeParse(input)
  // The schema was looked up by the same name.
  if (read.success) return { input: read.data as ToolInput<Name> }
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.') || 'the input'}: ${message}`)
  return { problem: `The input of ${name} is not right. ${problems.join('. ')}.` }
}
