import { callTools, textReply } from '../../replies/reply.ts'
import type { DemoRule } from '../facts/demo-rule.ts'

const questionTool = 'AskUserQuestion'
const mostOptions = 4
const mostQuestions = 4
const longestHeader = 12

/**
 * "ask me which colour: red, green or blue" asks the person, with the words after the colon as choices. "; which size:
 * small or large" after it is a second question.
 */
export const askPerson: DemoRule = {
  name: 'ask-person',
  reply({ offered, prompt }) {
    const request = /\bask me\s+(?:about\s+)?(.+)$/is.exec(prompt.trim())?.[1] ?? ''
    const questions = request
      .split(';')
      .slice(0, mostQuestions)
      .flatMap((one) => questionOf(one.trim()) ?? [])
    if (questions.length === 0) return null
    if (!offered.has(questionTool))
      return textReply(`This agent does not offer me the ${questionTool} tool, so in words: ${inWords(questions)}`)
    return callTools('I ask you.', { name: questionTool, input: { questions } })
  },
}

const inWords = (questions: readonly NonNullable<ReturnType<typeof questionOf>>[]): string =>
  questions.map(({ question, options }) => `${question} (${options.map(({ label }) => label).join(', ')})`).join(' ')

function questionOf(text: string) {
  const request = /^([^:?]+)\??\s*(?::\s*(.+))?$/is.exec(text)
  const topic = request?.[1]?.trim()
  if (!topic) return null
  const question = `${topic.charAt(0).toUpperCase()}${topic.slice(1)}?`
  const named = (request?.[2] ?? '').split(/,|\bor\b/i).map((label) => label.replace(/[.?!]\s*$/, '').trim())
  const labels = named.filter((label) => label !== '').slice(0, mostOptions)
  const options = (labels.length > 1 ? labels : ['Yes', 'No']).map((label) => ({ label, description: label }))
  const header = (topic.split(/\s+/).at(-1) ?? topic).slice(0, longestHeader)
  return { question, header, options, multiSelect: false }
}
