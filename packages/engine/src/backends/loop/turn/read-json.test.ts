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

it.each(['', 'nothing', '{"a":', '} {', '```json\n{"a"\n```'])('finds no value in %j', (text) => {
  expect(readJson(text)).toBeUndefined()
})

// With a regular expression, each would take minutes and block all other sessions.
it.each(['[', '```\n', '\n', '{]'])('ends in time for a text crafted to keep it busy: %j', (piece) => {
  expect(readJson(`\`\`\`${piece.repeat(400_000)}`)).toBeUndefined()
})
