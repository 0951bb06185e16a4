import { expect, it } from 'vitest'
import { createCommandLogger } from './command-logger.ts'
import { openTestTerminal } from './terminal.fixture.ts'

it.each([
  { reader: 'a person', piped: {}, as: 'person' },
  { reader: 'a collector', piped: { piped: '' }, as: 'collector' },
] as const)('shows $reader what a log line hides instead of letting the terminal obey it', async ({ piped, as }) => {
  const { terminal, stderr } = await openTestTerminal(piped)
  createCommandLogger(terminal, 'warn', as).warn({ said: '\u001b[2J\u009b1m' }, 'odd')
  expect(stderr()).toContain('said')
  expect(stderr()).toContain('\\u001b[2J\\u009b1m')
})

it('writes sentences where no terminal is, too, and JSON only for what collects the log of a server', async () => {
  const { terminal, stderr } = await openTestTerminal({ piped: '' })
  createCommandLogger(terminal, 'warn').error({ event: 'PreToolUse', error: 'it broke' }, 'a hook failed')
  expect(stderr()).toMatch(/^\S+ error: a hook failed {2}event=PreToolUse error=it broke\n$/)
  createCommandLogger(terminal, 'warn', 'collector').warn({}, 'odd')
  expect(stderr()).toMatch(/\n\{.*"msg":"odd"\}\n$/)
})
