import { QuarterdeckError } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { paletteFor } from '../render/palette.ts'
import { errorLine, errorText } from './error-text.ts'

it('is the message of an expected error, with hidden characters escaped', () => {
  const error = new QuarterdeckError('config.invalid', 'agent.yaml:1:1 unknown key "\u001b[2J"\nand another')
  expect(errorText(error)).toBe('agent.yaml:1:1 unknown key "\\u001b[2J"\nand another')
})

it('names the location of a bug', () => {
  expect(errorText(new TypeError('a \u009b bug'))).toMatch(/TypeError: a \\u009b bug\n\s+at .*error-text\.test\.ts/)
  expect(errorText('not even \u0007 an error')).toBe('not even \\u0007 an error')
})

it('says "error" once', () => {
  const line = (message: string) => errorLine(new QuarterdeckError('config.invalid', message), paletteFor({}, {}))
  expect(line('mine/agent.yaml:3:10 error: no')).toBe('mine/agent.yaml:3:10 error: no')
  expect(line('no such file')).toBe('error: no such file')
})
