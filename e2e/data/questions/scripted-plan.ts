// A scenario that follows the plan of each question whatever the results are. The tests compare the results.
import type { KnownQuestion, PlannedCall } from './known-questions.ts'

export interface ScriptedQuestion {
  readonly question: KnownQuestion
  /** The step whose rows are the answer, counted over the whole analysis. */
  readonly answerStep: number
}

export interface ScriptedPlan {
  readonly questions: readonly ScriptedQuestion[]
  /** In the format of `serve --script`. */
  readonly scenario: string
}

/** For several questions in one analysis. */
export function scriptPlan(questions: readonly KnownQuestion[]): ScriptedPlan {
  const scripted: ScriptedQuestion[] = []
  const steps: object[] = []
  let stepsSoFar = 0
  for (const question of questions) {
    const numbered = question.messages.map((calls) => calls.map((call) => withNumbers(call, stepsSoFar)))
    const answerStep = stepsSoFar + numbered.flat().length
    steps.push(...stepsOf(question.question, numbered, answerStep))
    scripted.push({ question, answerStep })
    stepsSoFar = answerStep
  }
  return { questions: scripted, scenario: JSON.stringify({ name: 'known questions', steps }) }
}

function stepsOf(question: string, messages: readonly (readonly PlannedCall[])[], answerStep: number): object[] {
  const text = `^${question.replaceAll(/[^\p{Letter}\p{Number} ]/gu, '\\$&')}`
  const called = (count: number) => messages.slice(0, count).flat().length
  const last = {
    name: 'final_answer',
    input: { answer: `Step ${answerStep} has it.`, chartType: 'table', sourceStep: answerStep },
  }
  return [...messages, [last]].map((calls, at) => ({
    when: at === 0 ? { text } : { text, tool_result: {}, calls: called(at) },
    then: { tools: calls.map(({ name, input }) => ({ name: `mcp__client__${name}`, input })) },
  }))
}

const withNumbers = ({ name, input }: PlannedCall, before: number): PlannedCall => ({
  name,
  input: Object.fromEntries(Object.entries(input).map(([key, value]) => [key, numberSteps(value, before)])),
})

function numberSteps(value: unknown, before: number): unknown {
  if (typeof value !== 'string') return value
  const whole = /^@(\d+)$/.exec(value)?.[1]
  if (whole !== undefined) return before + Number(whole)
  return value.replaceAll(/step_@(\d+)/g, (_, n: string) => `step_${before + Number(n)}`)
}
