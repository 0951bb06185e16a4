import { expect, it } from 'vitest'
import { readJson } from './read-json.ts'

it.each([
  '{"a":[1]}',
  '```json\n{"a":[1]}\n```',
  'Here it is:\n```\n{"a":[1]}```\nAnything else?',
  'First ```ts\nlet a\n``` and then ```json\n{"a":[1]}\n```.',
  'Of course! {"a":[1]} is it.',
])('finds the value in %j', (text) => {
  expect(readJson(text)).toEqual({ a: [1] })
})

it.each(['', 'nothing', '{"a":', '} {', '```json\n{"a"\n```'])('finds none in %j', (text) => {
  expect(readJson(text)).toBeUndefined()
})

// A pattern would take minutes for each, in which no other session is served.
it.each(['[', '```\n', '\n', '{]'])('ends in time with a text that is made to keep it busy: %j', (piece) => {
  expect(readJson(`\`\`\`${piece.repeat(400_000)}`)).toBeUndefined()
})
