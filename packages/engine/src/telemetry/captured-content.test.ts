import { expect, it } from 'vitest'
import { messageAttributes } from './captured-content.ts'

it('cuts a long text between two characters', () => {
  const { 'gen_ai.output.messages': outputMessages = '' } = messageAttributes([], `x${'🙂'.repeat(20_000)}`)
  expect(outputMessages).toContain('🙂…')
  expect(outputMessages).not.toContain('\\ud83d')
})
