import { expect, it } from 'vitest'
import { runCommand } from './run-command.mjs'

it('fails without tmux, because one picture shows a terminal', async () => {
  const env = { PATH: '/nowhere' }
  const { code, output } = await runCommand(process.execPath, ['scripts/pictures.mjs'], { cwd: process.cwd(), env })
  expect(code).toBe(1)
  expect(output).toContain('tmux is required to take chat.png')
})
