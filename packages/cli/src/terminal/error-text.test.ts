import { QuarterdeckError } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { paletteFor } from '../render/palette.ts'
import { errorLine, errorText } from './error-text.ts'

it('is the sentence of an expected error, with what an agent file hides in it made visible', () => {
  const error = new QuarterdeckError('config.invalid', 'agent.yaml:1:1 unknown key "\u001b[2J"\nand another')
  expect(errorText(error)).toBe('agent.yaml:1:1 unknown key "\\u001b[2J"\nand another')
})

it('says where a bug is', () => {
  expect(errorText(new TypeError('a \u009b bug'))).toMatch(/TypeError: a \\u009b bug\n\s+at .*error-text\.test\.ts/)
  expect(errorText('not even \u0007 an error')).toBe('not even \\u0007 an error')
})

it('says once that it is an error', () => {
  const line = (message: string) => errorLine(new QuarterdeckError('config.invalid', message), paletteFor({}, {}))
  expect(line('mine/agent.yaml:3:10 error: no')).toBe('mine/agent.yaml:3:10 error: no')
  expect(line('no such file')).toBe('error: no such file')
})
