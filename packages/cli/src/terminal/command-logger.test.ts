import { expect, it } from 'vitest'
import { createCommandLogger, createServerLogger } from './command-logger.ts'
import { openTestTerminal } from './terminal.fixture.ts'

it.each(['text', 'json'] as const)('escapes control characters in a line of %s', async (format) => {
  const { terminal, stderr } = await openTestTerminal({ piped: '' })
  createServerLogger(terminal, { format, isVerbose: false }).warn({ said: '\u001b[2J\u009b1m' }, 'odd')
  expect(stderr()).toContain('said')
  expect(stderr()).toContain('\\u001b[2J\\u009b1m')
})

it('writes text for a command, and the requested format for a server', async () => {
  const { terminal, stderr } = await openTestTerminal({ piped: '' })
  createCommandLogger(terminal, 'warn').error({ event: 'PreToolUse', error: 'it broke' }, 'a hook failed')
  expect(stderr()).toMatch(/^\S+ error: a hook failed {2}event=PreToolUse error=it broke\n$/)
  createServerLogger(terminal, { format: 'json', isVerbose: false }).info({}, 'turn ended')
  expect(stderr()).toMatch(/\n\{.*"msg":"turn ended"\}\n$/)
  const before = stderr()
  createServerLogger(terminal, { format: 'text', isVerbose: false }).info({ turns: 1 }, 'turn ended')
  expect(stderr()).toBe(before)
  createServerLogger(terminal, { format: 'text', isVerbose: false }).info({}, 'reloaded clerk')
  expect(stderr().slice(before.length)).toMatch(/^\S+ reloaded clerk *\n$/)
})
