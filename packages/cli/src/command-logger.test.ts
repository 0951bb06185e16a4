import { expect, it } from 'vitest'
import { createCommandLogger } from './command-logger.ts'
import { openTestTerminal } from './terminal.fixture.ts'

it.each([
  { reader: 'a person', piped: {} },
  { reader: 'a collector', piped: { piped: '' } },
])('shows $reader what a log line hides instead of letting the terminal obey it', async ({ piped }) => {
  const { terminal, stderr } = await openTestTerminal(piped)
  createCommandLogger(terminal, 'warn').warn({ said: '\u001b[2J\u009b1m' }, 'odd')
  expect(stderr()).toContain('said')
  expect(stderr()).toContain('\\u001b[2J\\u009b1m')
})
