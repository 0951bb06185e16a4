import { z } from 'zod'

/** One question with the answers it offers; a person may always answer in their own words. */
export const QuestionItem = z.object({
  question: z.string(),
  header: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string() })),
  multiSelect: z.boolean(),
})
export type QuestionItem = z.infer<typeof QuestionItem>
