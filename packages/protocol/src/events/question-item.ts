import { z } from 'zod'

/** One question with the answers it offers; a person may also answer with other text. */
export const QuestionItem = z.object({
  question: z.string(),
  header: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string() })),
  multiSelect: z.boolean(),
})
export type QuestionItem = z.infer<typeof QuestionItem>
