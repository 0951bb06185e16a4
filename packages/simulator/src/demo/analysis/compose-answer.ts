// The final answer: the results with the cell of each number, or a refusal with its reason and questions to ask instead.
import { describeStep, type Found } from './answer-text.ts'
import type { KnownTable } from './known-tables.ts'
import type { Plan, PlannedStep, RefusedPlan } from './plan.ts'
import { shapes } from './question-shapes.ts'
import { isRefusal, readQuestion } from './read-question.ts'
import { sampleQuestions } from './sample-questions.ts'

type FinalAnswer = Readonly<Record<string, unknown>>

const notAModel = 'Answered by the fixed rules of the simulator, not by a model.'

export function composeAnswer({ steps, caveats, followUps }: Plan, results: readonly Found[]): FinalAnswer {
  const sentences = steps.flatMap((step, at) => {
    const found = results[at]
    return found === undefined ? [] : [describeStep(step, found)]
  })
  const notes = results.flatMap(({ note, rows }) => (note === null || rows.length === 0 ? [] : [note]))
  return {
    answer: sentences.map(({ text }) => text).join(' '),
    ...chartFields(steps[0], results[0]),
    claims: sentences.flatMap(({ claims }) => claims),
    caveats: [...new Set([...caveats, ...notes]), notAModel],
    followUps,
  }
}

const chartOf: Readonly<Record<PlannedStep['result'], string>> = {
  groups: 'bar',
  times: 'line',
  value: 'table',
  rows: 'table',
  columns: 'table',
}

function chartFields(step: PlannedStep | undefined, found: Found | undefined): FinalAnswer {
  if (step === undefined || found === undefined) return { chartType: 'table' }
  const [xAxis, yAxis] = found.columns
  const chartType = found.rowCount === 0 ? 'table' : chartOf[step.result]
  return { chartType, sourceStep: found.step, ...(chartType === 'table' ? {} : { xAxis, yAxis }) }
}

export const composeFailure = (error: string): FinalAnswer => ({
  answer: 'The query failed, so there is no answer.',
  chartType: 'table',
  claims: [],
  caveats: [error.slice(0, 300), notAModel],
})

export const composeRefusal = (refusal: RefusedPlan, tables: readonly KnownTable[]): FinalAnswer => ({
  answer: refusalText(refusal),
  chartType: 'table',
  claims: [],
  caveats: [],
  followUps: answerableQuestions(tables).slice(0, 3),
})

export function refusalText({ reason }: RefusedPlan): string {
  const why = reason === '' ? '' : ` ${reason}`
  const known = shapes.map(({ words }) => `- ${words}`).join('\n')
  return `The simulator cannot answer this question. With a provider key a model would.${why}\n\nThe simulator answers questions of these forms, with the exact names of tables and columns:\n\n${known}`
}

/** Questions about these tables that the simulator can answer. */
function answerableQuestions(tables: readonly KnownTable[]): readonly string[] {
  const examples = tables.flatMap(({ name, columns }) => [
    `How many rows are in ${name}?`,
    ...columns.slice(0, 20).map((column) => `What is the average of ${column.name} in ${name}?`),
    `Describe ${name}`,
  ])
  return [...sampleQuestions(tables), ...examples.filter((one) => !isRefusal(readQuestion(one, tables)))]
}
