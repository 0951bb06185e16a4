import { expect, it } from 'vitest'
import { chooseOption, chooseOther, chosenAnswers, noChoice } from './chosen-answers.ts'

const option = (label: string) => ({ label, description: '' })
const colour = {
  question: 'Which colour?',
  header: 'Colour',
  multiSelect: false,
  options: [option('red'), option('blue')],
}
const sizes = { question: 'Which sizes?', header: 'Size', multiSelect: true, options: [option('S'), option('M')] }

it('returns answers only when every question has one', () => {
  const red = chooseOption(colour, noChoice, 0)
  expect(chosenAnswers([colour, sizes], [red, noChoice])).toBeNull()
  const both = chooseOption(sizes, chooseOption(sizes, noChoice, 1), 0)
  expect(chosenAnswers([colour, sizes], [red, both])).toEqual({ 'Which colour?': 'red', 'Which sizes?': ['S', 'M'] })
})

it('replaces the option of a single choice, and toggles the options of a multiple choice', () => {
  const blue = chooseOption(colour, chooseOption(colour, noChoice, 0), 1)
  expect(chosenAnswers([colour], [blue])).toEqual({ 'Which colour?': 'blue' })
  const none = chooseOption(sizes, chooseOption(sizes, noChoice, 1), 1)
  expect(chosenAnswers([sizes], [none])).toBeNull()
})

it('accepts free text alone or beside chosen options, but not empty text', () => {
  const own = { ...chooseOther(colour, chooseOption(colour, noChoice, 0)), other: '  teal ' }
  expect(chosenAnswers([colour], [own])).toEqual({ 'Which colour?': 'teal' })
  expect(chosenAnswers([colour], [{ ...own, other: ' ' }])).toBeNull()
  const beside = { ...chooseOther(sizes, chooseOption(sizes, noChoice, 0)), other: 'XXL' }
  expect(chosenAnswers([sizes], [beside])).toEqual({ 'Which sizes?': ['S', 'XXL'] })
  expect(chosenAnswers([colour], [chooseOption(colour, own, 1)])).toEqual({ 'Which colour?': 'blue' })
})

it('handles a question named __proto__ like any other', () => {
  const hostile = { ...colour, question: '__proto__' }
  const answers = chosenAnswers([hostile], [chooseOption(hostile, noChoice, 0)])
  expect(Object.entries(answers ?? {})).toEqual([['__proto__', 'red']])
})
