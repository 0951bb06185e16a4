import { expect, it } from 'vitest'
import { outputLimit, toolOutput } from './tool-output.ts'

it('a long result is shortened between two characters, never within one', () => {
  const { output } = toolOutput({ result: `x${'🙂'.repeat(outputLimit)}` })
  expect(output.slice(outputLimit - 4)).toMatch(/^.🙂\n\[cut: only the first/u)
  expect(output).not.toMatch(/\p{Surrogate}/u)
})
