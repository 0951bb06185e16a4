// Turns a question into a plan. A word that no pattern matches, or a second way to read the question, is a refusal.
import type { KnownTable } from './known-tables.ts'
import { type Match, nameEnds, normalText, readWhole } from './phrase.ts'
import type { Plan, RefusedPlan } from './plan.ts'
import { type ShapePlan, shapes } from './question-shapes.ts'
import { samplePlan } from './sample-questions.ts'

export function readQuestion(question: string, tables: readonly KnownTable[]): Plan | RefusedPlan {
  const scripted = samplePlan(question, tables)
  if (scripted !== null) return scripted
  const words = normalText(question).split(' ')
  const readings = tables.flatMap((table) =>
    shapes.flatMap(({ phrase, plan }) =>
      readWhole(phrase, words, table).map((match) => ({ match, read: plan(table, match) })),
    ),
  )
  const [first, ...others] = readings
  if (first === undefined) return { reason: '' }
  const key = JSON.stringify(first.read)
  if (others.some(({ read }) => JSON.stringify(read) !== key)) {
    return { reason: 'The question can be read in more than one way: name the table, and each column exactly.' }
  }
  const ambiguous = nameOutside(
    words,
    readings.map(({ match }) => match),
    tables,
  )
  if (ambiguous !== null) return { reason: `${ambiguous} is also the name of a table or a column here.` }
  return isRefusal(first.read) ? first.read : { ...planOf(first.read), followUps: [] }
}

export const isRefusal = (read: Plan | ShapePlan | RefusedPlan): read is RefusedPlan => 'reason' in read

const planOf = ({ step, caveats }: ShapePlan) => ({ steps: [step], caveats })

/** A name in the question that was matched as other words: "average price" may be the name of a column. */
function nameOutside(
  words: readonly string[],
  matches: readonly Match[],
  tables: readonly KnownTable[],
): string | null {
  const all = tables.flatMap(({ name, columns }) => [name, ...columns.map((column) => column.name)])
  const isRead = (start: number, end: number) =>
    matches.some(({ names }) => names.some(([from, to]) => from <= start && end <= to))
  const isOutside = (name: string) =>
    words.some((_, start) => nameEnds(words, start, name).some((end) => !isRead(start, end)))
  return all.find(isOutside) ?? null
}
