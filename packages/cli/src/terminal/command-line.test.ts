import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { commandFor, shellWord } from './command-line.ts'

it.each(['agents/coder.yaml', 'my agents', "it's here", '$(date) `id` "x"', '', '~/a', 'a\nb'])(
  'a shell reads %j as one word',
  (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text)
  },
)

it('leaves a plain path as it is', () => {
  expect(shellWord('agents/coder.yaml')).toBe('agents/coder.yaml')
})

it('names the command as the user can run it, with the data folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'quarterdeck-command-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [installed, added] = [join(root, 'bin'), join(root, 'node_modules', '.bin')]
  for (const folder of [installed, added]) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'quarterdeck'), '')
  }
  const named = (env: Readonly<Record<string, string>>) => commandFor({ env }, 'sessions list', { data: 'my data' })
  expect(named({ PATH: installed })).toBe("quarterdeck sessions list --data 'my data'")
  expect(named({ PATH: `${added}:${installed}` })).toBe("npx --no -- quarterdeck sessions list --data 'my data'")
  expect(named({ npm_command: 'exec' })).toBe("npx --no -- quarterdeck sessions list --data 'my data'")
  expect(named({ PATH: root })).toMatch(/^node .*quarterdeck\.mjs sessions list --data 'my data'$/)
  expect(commandFor({ env: { PATH: installed } }, 'help', {})).toBe('quarterdeck help')
})
