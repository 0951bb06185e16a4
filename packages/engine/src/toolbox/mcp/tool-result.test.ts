import { expect, it } from 'vitest'
import { outputOfResult, ToolResult } from './tool-result.ts'

const outputOf = (result: unknown) => outputOfResult(ToolResult.parse(result)).output

it('truncates a result of more than 200,000 characters, in however many parts, with a note', () => {
  const piece = { type: 'text', text: 'x'.repeat(150_000) }
  expect(outputOf({ content: [piece] })).toHaveLength(150_000)
  expect(outputOf({ content: [piece, piece] })).toMatch(/^[x\n]{200000}\n… cut here: 100001 more characters\.$/)
  expect(outputOf({ structuredContent: { all: 'x'.repeat(300_000) } })).toMatch(/cut here: \d+ more characters\.$/)
})
